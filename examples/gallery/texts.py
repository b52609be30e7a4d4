"""
Topics of sparse texts
======================

TF-IDF rows of the pages of Python's language reference, centred without making them dense. The words with the largest
weights say what each component is about.
"""

from pydoc_data.topics import topics

import matplotlib.pyplot as plt
import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer

from roipca import OnlinePCA

paragraphs = [part for page in topics.values() for part in page.split("\n\n") if len(part) > 80]
vectorizer = TfidfVectorizer(stop_words="english", token_pattern="[a-z]{3,}", sublinear_tf=True, min_df=3)
X = vectorizer.fit_transform(paragraphs)
print(f"{X.shape[0]} paragraphs, {X.shape[1]} words, {X.nnz / X.shape[0]:.0f} of them per paragraph")

pca = OnlinePCA(n_components=6, method="roipca")
for start in range(0, X.shape[0], 200):
    pca.partial_fit(X[start : start + 200])

words = vectorizer.get_feature_names_out()
figure, axes = plt.subplots(2, 3, figsize=(9, 5), layout="constrained")
for number, (axis, component) in enumerate(zip(axes.flat, pca.components_, strict=True), start=1):
    strongest = np.argsort(-np.abs(component))[:8][::-1]
    axis.barh(words[strongest], component[strongest], color=np.where(component[strongest] > 0, "C0", "C3"))
    axis.set_title(f"component {number}", fontsize=9)
    axis.tick_params(labelsize=8)
plt.show()
