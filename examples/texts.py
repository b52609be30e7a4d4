#!/usr/bin/env python3
"""PCA of texts that are never all in memory: hashed words, weighted by their rarity.

    python examples/texts.py --texts 50000

Texts are simulated: each is about one of ten subjects. A first pass counts in how many texts a word occurs.
"""

import argparse
import resource
import time

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from roipca import OnlinePCA

FEATURES = 1 << 18
BLOCK = 1000


def simulated_texts(count, subjects=10, vocabulary=20_000, seed=0):
    """Yields texts of 60 words; a third of them are words of their subject."""
    rng = np.random.default_rng(seed)
    common = np.cumsum(1 / np.arange(1.0, vocabulary + 1))
    own = rng.integers(0, vocabulary, (subjects, 40))
    for i in range(count):
        words = np.searchsorted(common, rng.random(60) * common[-1])
        words[:20] = own[i % subjects, rng.integers(0, 40, 20)]
        yield " ".join(f"word{w}" for w in words)


def blocks_of(texts):
    block = []
    for text in texts:
        block.append(text)
        if len(block) == BLOCK:
            yield block
            block = []
    if block:
        yield block


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--texts", type=int, default=50_000)
    parser.add_argument("--components", type=int, default=9)
    options = parser.parse_args()
    hashed = HashingVectorizer(n_features=FEATURES, norm=None, alternate_sign=False)
    start = time.perf_counter()
    occurs = np.zeros(FEATURES)
    for block in blocks_of(simulated_texts(options.texts)):
        occurs += np.bincount(hashed.transform(block).indices, minlength=FEATURES)
    rarity = np.log((1 + options.texts) / (1 + occurs)) + 1  # scikit-learn's inverse document frequency
    rows = (hashed.transform(block) for block in blocks_of(simulated_texts(options.texts)))
    pca = OnlinePCA(options.components).fit_stream(rows, log1p=True, feature_weights=rarity, progress=False)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{pca.n_samples_seen_:,} texts of {FEATURES:,} features in {seconds:.1f} s, {memory} MiB at most")
    print("explained variance:", np.array2string(pca.explained_variance_ratio_, precision=3))


if __name__ == "__main__":
    main()
