"""Files of vectors: sets of a reader's own, and word vectors with averages, counts and pairs.

formats         how each format is recognised, and what reads it

Word vectors, a word a row:

bundled         read_bundled_vectors: GloVe
word_files      read_vectors
word_text       GloVe, word2vec and fastText as text
word_binary     word2vec's binary format
word_arrays     words of files that are read as rows, such as .npz and .safetensors
gather          the words and rows that are taken, in one array
word_averages   sentence vectors; sif has the arithmetic
word_counts     how often words occur
word_pairs      pairs of words with scores
word_axes       words along independent, principal and random axes

Sets of vectors of anything, with texts and labels:

set_files       read_vector_set
set_tables      .csv, .tsv, .jsonl and lines of numbers
set_parquet     Parquet and Arrow
set_hdf5        HDF5
set_arrays      .npy, .npz, .safetensors and .fvecs
foreign         files that are not read, with the line that converts each
row_source      an open file as blocks of rows
row_sample      all rows, or a random sample
metadata_rows   texts and labels in a second file
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
