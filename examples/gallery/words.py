"""
Word vectors
============

Words that occur in the same places get similar vectors. The corpus is the text of Python's own language reference,
which every Python installation contains. Each row is a word: how much more often than by chance other words stand next
to it.
The rows are sparse and arrive a block at a time.
"""

import re
from collections import Counter
from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import numpy as np
from scipy import sparse

from roipca import OnlinePCA

text = re.findall(r"[a-z]+", " ".join(topics.values()).lower())
vocabulary = {word: i for i, (word, _) in enumerate(Counter(text).most_common(2500))}
ids = np.array([vocabulary.get(word, -1) for word in text])

pairs = []
for distance in (1, 2, 3):
    left, right = ids[:-distance], ids[distance:]
    both = (left >= 0) & (right >= 0)
    pairs += [(left[both], right[both]), (right[both], left[both])]
first, second = (np.concatenate(side) for side in zip(*pairs, strict=True))
size = len(vocabulary)
counts = sparse.csr_array((np.ones(len(first)), (first, second)), shape=(size, size)).tocoo()

row_sum, column_sum = counts.sum(axis=1), counts.sum(axis=0)
information = np.log(counts.data * counts.sum() / (row_sum[counts.row] * column_sum[counts.col]))
keep = information > 0
vectors = sparse.csr_array((information[keep], (counts.row[keep], counts.col[keep])), shape=counts.shape)

pca = OnlinePCA(n_components=40, method="roipca").fit_stream(
    (vectors[start : start + 250] for start in range(0, size, 250)), progress=False
)
print(f"{vectors.nnz / size:.0f} of {size} numbers in a row are not 0")
print(f"40 components explain {pca.explained_variance_ratio_.sum():.0%} of the variance")

# %%
# The nearest words, by the angle between vectors of 40 numbers.

embedded = pca.transform(vectors)
embedded /= np.linalg.norm(embedded, axis=1, keepdims=True)
words = np.array(list(vocabulary))
for word in ("list", "float", "raises", "module", "left"):
    nearest = np.argsort(-embedded @ embedded[vocabulary[word]])[1:6]
    print(f"{word:8}", *words[nearest])

# %%
# A map of some of them.

chosen = [
    "int", "float", "complex", "integer", "integers", "list", "tuple", "dictionary", "set", "string", "bytes", "import",
    "module", "package", "file", "path", "try", "except", "finally", "raise", "exception", "error", "class", "method",
    "function", "argument", "arguments", "parameter",
]  # fmt: skip
chosen = [word for word in chosen if word in vocabulary]
plane = OnlinePCA(2).fit_transform(embedded[[vocabulary[word] for word in chosen]])
figure, axis = plt.subplots(figsize=(7, 5), layout="constrained")
axis.scatter(*plane.T, s=8)
for word, point in zip(chosen, plane, strict=True):
    axis.annotate(word, point, xytext=(3, 2), textcoords="offset points", fontsize=8)
plt.show()
