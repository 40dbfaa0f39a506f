"""Every kind of screen of the desk; `{name}` is the key of a row that the crawl makes."""

LISTS = {
    "tools": "/admin/tools/tool/",
    "categories": "/admin/tools/category/",
    "takes": "/admin/reviews/take/",
    "reviewers": "/admin/reviews/reviewer/",
    "votes": "/admin/reviews/vote/",
    "voidings": "/admin/reviews/voiding/",
    "comparisons": "/admin/comparisons/comparison/",
    "issues": "/admin/newsletter/issue/",
    "subscribers": "/admin/newsletter/subscriber/",
}
IN_FULL = LISTS | {
    "dashboard": "/admin/",
    "new tool": "/admin/tools/tool/add/",
    "tool": "/admin/tools/tool/1/change/",
    "withdrawing a tool": "/admin/tools/tool/1/withdraw/",
    "tool's history": "/admin/tools/tool/1/history/",
    "deleting a tool": "/admin/tools/tool/1/delete/",
    "tool of a long name": "/admin/tools/tool/{long}/change/",
    "withdrawing a long name": "/admin/tools/tool/{long}/withdraw/",
    "history of a long name": "/admin/tools/tool/{long}/history/",
    "deleting a long name": "/admin/tools/tool/{long}/delete/",
    "version of a long name": "/admin/tools/tool/{long}/history/{version}/",
    "deleted tools": "/admin/tools/tool/deleted/",
    "take": "/admin/reviews/take/1/change/",
    "new take": "/admin/reviews/take/add/",
    "changed verdicts": "/admin/reviews/takechange/",
    "comparison": "/admin/comparisons/comparison/1/change/",
    "reviewer": "/admin/reviews/reviewer/1/change/",
    "category": "/admin/tools/category/1/change/",
    "coverage": "/admin/coverage/",
    "facts": "/admin/facts/developer-tools/",
    "due": "/admin/due/",
    "due sources": "/admin/due/sources/",
    "changed": "/admin/changed/",
    "search": "/admin/search/?q=cursor",
    "reports": "/admin/reports/report/",
    "report": "/admin/reports/report/1/change/",
    "corrections": "/admin/reports/decision/",
    "document and CSV": "/admin/exchange/",
    "subscriber": "/admin/newsletter/subscriber/{subscriber}/change/",
    "issue": "/admin/newsletter/issue/{issue}/change/",
    "cancelling an issue": "/admin/newsletter/issue/{issue}/cancel/",
    "password": "/admin/password_change/",
    "new password": "/admin/password_change/done/",
}
ON_A_PHONE = {
    "attributes": "/admin/tools/attribute/",
    "attribute": "/admin/tools/attribute/{question}/change/",
    "families": "/admin/tools/family/",
    "family": "/admin/tools/family/1/change/",
    "synonyms": "/admin/search/synonym/",
    "synonym": "/admin/search/synonym/1/change/",
    "changed facts": "/admin/tools/factchange/",
    "changed fact": "/admin/tools/factchange/{fact_change}/change/",
    "changed verdict": "/admin/reviews/takechange/{take_change}/change/",
    "vote": "/admin/reviews/vote/{vote}/change/",
    "voiding": "/admin/reviews/voiding/{voiding}/change/",
    "new voiding": "/admin/reviews/voiding/add/",
    "correction": "/admin/reports/decision/1/change/",
    "bringing back a tool": "/admin/tools/tool/{gone}/bring-back/",
    "correcting an issue": "/admin/newsletter/issue/{sent}/correct/",
    "another's screen": "/admin/auth/user/",
}
"""Lists and forms made of the same parts as those above: visited once, where most goes wrong."""

OF_OPERATORS = {
    "accounts": "/admin/auth/user/",
    "account": "/admin/auth/user/1/change/",
    "new account": "/admin/auth/user/add/",
    "groups": "/admin/auth/group/",
    "group": "/admin/auth/group/1/change/",
}
"""Such lists and forms that an editor may not open."""

ALL = IN_FULL | ON_A_PHONE | OF_OPERATORS

NO_SCREENS = {"edit", "exchange-download", "exchange-load", "facts-index", "markdown", "slug"}
"""Routes of the desk that redirect, send a file or a text, or answer a form."""
