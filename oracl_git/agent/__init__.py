"""The memory for agents: a server of the Model Context Protocol (MCP), all through `oracl_git.service`.

    asking.py      the one repository: a thread that asks, in order, and the process that makes an index
    replies.py     what tools return: types, and answers of the service made into them
    server.py      the tools and resources, what is said of them, and how a failure is told
    reference.py   the page of their schemas

Knows the protocol; asks the service and nothing deeper. Only `asking` can be
imported without the extra `oracl-git[mcp]`.
"""
