-- Runs inside a real, headless Neovim: what the module does, written as JSON for the test to judge.
local out, told = {}, {}
vim.notify = function(text) table.insert(told, text) end
local oracl = require('oracl')
local shop = vim.env.SHOP
oracl.setup({ cmd = vim.fn.json_decode(vim.env.ORACL_LSP_COMMAND), debounce = 50 })

local function wait(what, check)
  local found
  if not vim.wait(60000, function() found = check(); return found end, 50) then
    out.failed = what
    vim.fn.writefile({ vim.fn.json_encode(out) }, vim.env.OUT)
    vim.cmd('cquit')
  end
  return found
end

vim.cmd('edit ' .. shop .. '/shop/cart.py')
local buffer = vim.api.nvim_get_current_buf()
wait('attached', function() return #vim.lsp.buf_get_clients(buffer) > 0 or vim.tbl_count(vim.lsp.buf_get_clients(buffer)) > 0 end)
wait('ready', function() return vim.lsp.get_client_by_id(oracl.client_id).initialized end)

-- related: the choice is made by the test, the file is opened by the module
vim.ui.select = function(rows, options, done)
  out.offered = vim.tbl_map(options.format_item, rows)
  for _, row in ipairs(rows) do
    if row.path == 'tests/test_cart.py' then return done(row) end
  end
end
vim.cmd('OraclRelated')
wait('related', function() return out.offered and vim.fn.expand('%:t') == 'test_cart.py' end)
out.opened = vim.fn.expand('%:p')

-- search: the quickfix list
vim.cmd('OraclSearch whole cents')
out.search = wait('search', function()
  local list = vim.fn.getqflist({ title = 1, items = 1 })
  return list.title == 'oracl: whole cents' and #list.items > 0 and vim.tbl_map(function(item)
    return { path = vim.api.nvim_buf_get_name(item.bufnr), line = item.lnum, text = item.text }
  end, list.items)
end)
vim.cmd('cclose')

-- unsaved text counts
vim.cmd('edit ' .. shop .. '/shop/store.py')
vim.api.nvim_buf_set_lines(0, 3, 3, false, { 'from .prices import total' })
vim.cmd('OraclTrace out')
out.trace = wait('trace', function()
  local list = vim.fn.getqflist({ title = 1, items = 1 })
  return list.title == 'oracl: trace out' and vim.tbl_map(function(item)
    return vim.api.nvim_buf_get_name(item.bufnr)
  end, list.items)
end)
vim.cmd('cclose')
vim.cmd('edit! ' .. shop .. '/docs/guide.md')

-- what vim.lsp itself makes of the server
out.diagnostics = wait('diagnostics', function()
  local rows = vim.diagnostic.get(0)
  return #rows > 0 and vim.tbl_map(function(row) return { line = row.lnum, text = row.message } end, rows)
end)
local actions = vim.lsp.buf_request_sync(0, 'textDocument/codeAction', {
  textDocument = { uri = vim.uri_from_bufnr(0) },
  range = { start = { line = out.diagnostics[1].line, character = 0 }, ['end'] = { line = out.diagnostics[1].line, character = 1 } },
  context = { diagnostics = {} },
}, 20000)
for _, answer in pairs(actions) do
  for _, action in ipairs(answer.result) do
    if action.edit then vim.lsp.util.apply_workspace_edit(action.edit, 'utf-16') end
  end
end
out.fixed = vim.api.nvim_buf_get_lines(0, 0, -1, false)
vim.cmd('OraclStatus')
wait('status', function() return #told > 0 end)
out.told = told
vim.fn.writefile({ vim.fn.json_encode(out) }, vim.env.OUT)
vim.cmd('qall!')
