"""Names by which a column of a table is recognised, without regard to case."""

from collections.abc import Sequence

TEXT_NAMES = (
    "text", "texts", "sentence", "sentences", "content", "body", "document", "review", "comment",
    "message", "utterance", "question", "headline", "title",
    "文本", "文字", "句子", "內容", "内容", "評論", "评论",
)  # fmt: skip
WEAK_NAMES = ("question", "headline", "title")  # the text may be beside it
LABEL_NAMES = (
    "label", "labels", "topic", "category", "class", "genre", "target", "tag",
    "標籤", "标签", "主題", "主题", "類別", "类别", "分類", "分类",
)  # fmt: skip
PAIR_NAMES = (
    ("left", "right"), ("sentence1", "sentence2"), ("sentence_1", "sentence_2"),
    ("text1", "text2"), ("text_1", "text_2"), ("s1", "s2"), ("句子1", "句子2"),
    ("premise", "hypothesis"), ("question1", "question2"), ("sentence_a", "sentence_b"),
)  # fmt: skip
SCORE_NAMES = ("score", "gold_score", "gold", "similarity", "similarity_score", "分數", "分数")
WEIGHT_NAMES = ("weight", "weights", "count", "counts", "frequency", "freq", "權重", "权重", "次數")
SUBSET_NAMES = ("subset", "genre", "dataset")
QUERY_NAMES = (
    "query", "queries", "question", "query-id", "query_id", "qid",
    "查詢", "查询", "問題", "问题",
)  # fmt: skip
RELEVANT_NAMES = (
    "relevant", "answer", "document", "passage", "row", "text",
    "corpus-id", "corpus_id", "doc-id", "doc_id", "docid", "pid",
    "相關", "相关", "答案",
)  # fmt: skip
ID_NAMES = (
    "_id", "id", "ids", "doc_id", "docid", "document_id", "corpus-id", "corpus_id",
    "query-id", "query_id", "qid", "pid", "uuid", "key", "編號", "编号",
)  # fmt: skip
GRADE_NAMES = ("grade", "relevance", "rel", "score", "gold", "等級", "等级", "分數", "分数")
PAIRED_NAMES = tuple(name for pair in PAIR_NAMES for name in pair)
KNOWN_NAMES = {
    *TEXT_NAMES, *LABEL_NAMES, *SCORE_NAMES, *QUERY_NAMES, *RELEVANT_NAMES, *PAIRED_NAMES,
}  # fmt: skip


def named(columns: Sequence[str], names: Sequence[str]) -> str | None:
    """The first of ``names`` that is a column, in any case, or the end of one behind a point."""
    folded = {column.casefold(): column for column in reversed(columns)}
    last = {
        name.rpartition(".")[2]: column
        for name, column in folded.items()
        if not name.startswith("error.")  # of the rows that a service could not answer
    }
    return next((each[name] for each in (folded, last) for name in names if name in each), None)
