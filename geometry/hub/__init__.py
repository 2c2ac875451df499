"""The hub: a repository asked what it holds (repository); models listed, judged and fetched
(fetch), files of data sets (data_files), by transfers that go on where they broke (download,
transfer) into huggingface_hub's own cache (cache); errors says what went wrong.
"""
