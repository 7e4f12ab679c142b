"""The memory for agents, all through `oracl_git.service`: a session kept, and a server of the Model Context Protocol.

   record.py      what a session is made of
   kept.py        where sessions are kept, for their owner alone
   retrieval.py   concept, node and neighbour questions as one
   bundle.py      a session as signed bytes, and whether to believe such bytes
   transport.py   sessions in refs of a remote
   session.py     SessionMemory, which is all of these

   asking.py      the one repository: a thread that asks, in order, and the process that makes an index
   replies.py     what tools return: types, and answers of the service made into them
   server.py      the tools and resources, what is said of them, and how a failure is told
   reference.py   the page of their schemas

What is of a session knows no protocol. `server`, `replies` and `reference` know that of MCP, and can only be
imported with the extra `oracl-git[mcp]`.
"""
