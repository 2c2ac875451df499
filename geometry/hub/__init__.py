"""Models of the hub: listed, judged and fetched (fetch), by transfers that go on where they broke
(download, transfer) into huggingface_hub's own cache (cache); errors says what went wrong.
"""
