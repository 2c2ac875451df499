"""Small models trained on a text, to watch what becomes of their embeddings.

text                a text as token numbers
language_model      a causal transformer
classifier          a classifier of passages
word2vec            skip-gram with negative sampling
contrastive         a head on fixed sentence vectors
steps               the recorded step of one model, and the loop that trains it
runs                several models side by side, and what a page shows of each step
history             all recorded steps together, and their file
shipped_training    the recorded training that comes with the project
optimizers          the same model with other optimisers of its softmax rows, recorded
hull, softmax       is the origin in the hull of the hidden states? what moves a token?
softmax_toy         a softmax in two dimensions
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
