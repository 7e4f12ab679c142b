"""The language server: one file per feature of the protocol, all through `oracl_git.service`.

    server.py         what is registered, for which client
    protocol.py       one message in, one answer out: life cycle, errors
    transport.py      bytes to messages: stdio, TCP, WebSocket
    messages.py       our own requests and commands, their parameters and results
    options.py        what a client can set
    uris.py           URIs to paths of a repository, and back
    documents.py      open buffers and positions in them
    ahead.py          what is done before the client has spoken
    roots.py          one repository: a thread that asks, in order, on one snapshot a question

    search.py related.py trace.py status.py             requests and commands of our own
    symbols.py links.py definition.py hover.py          what every editor can show
    actions.py lens.py pick.py diagnostics.py
    hierarchy.py references.py
    sync.py configuration.py progress.py                the client's side of things

Knows the protocol; asks the service and nothing deeper. A clients' directory
lies beside it.
"""
