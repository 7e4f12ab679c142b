"""Blobs → Facts: what a file says, told from its bytes and its language alone.

`extractor` reads, `facts` is what it finds and how that is kept, `languages` and
`exclude` say which files are read and as what, `version` says by which code.
"""
