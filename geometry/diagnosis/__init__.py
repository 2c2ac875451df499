"""What is wrong with the geometry of vectors, and would a cure help: findings and a trial.

findings    cone, rogue dimensions, rank, hubs, copies, outliers
yardsticks  labels of nearest neighbours, scored pairs
trial       treatments fitted on one half of the rows and compared on the other
thresholds  cosines of related and unrelated pairs, and what separates them
storage     fewer dimensions and fewer bits, and what they lose
pictures    the numbers behind a report's pictures
diagnosis   all of it for one file or corpus, with one recommendation
sentences   the diagnosis in words, in any language
threshold_sentences, storage_sentences
            the same for thresholds and storage
svg         pictures without a script
report      one HTML file; the same for a program
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
