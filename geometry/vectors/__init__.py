"""Files of word vectors: recognised (read), parsed (text, binary, arrays), gathered into one table
(gather), refused in a reader's words (errors).
"""
