-- oracl-git in Neovim (0.7 or newer): start the server, ask it, show what it says.
--
--   require('oracl').setup({})            options: those of the server, and
--     cmd = { 'git-oracl', 'lsp' }        how it is started
--     commands = true                     :OraclSearch :OraclRelated :OraclTrace :OraclStatus
--
-- Knows quickfix and vim.ui.select. Definitions, hover, code actions, incoming calls and
-- diagnostics are those of vim.lsp itself.

local M = { client_id = nil, options = {} }

local function capabilities()
  local caps = vim.lsp.protocol.make_client_capabilities()
  -- Neovim does these, and before 0.11 does not say so.
  for _, name in ipairs({ 'callHierarchy', 'codeLens' }) do
    caps.textDocument[name] = caps.textDocument[name] or { dynamicRegistration = false }
  end
  return caps
end

local function root_of(buffer)
  local name = vim.api.nvim_buf_get_name(buffer)
  if name == '' or vim.bo[buffer].buftype ~= '' then return nil end
  local found = vim.fn.finddir('.git', vim.fn.fnamemodify(name, ':p:h') .. ';')
  local file = vim.fn.findfile('.git', vim.fn.fnamemodify(name, ':p:h') .. ';')
  local git = found ~= '' and found or file
  return git ~= '' and vim.fn.fnamemodify(git, ':p'):gsub('/%.git/?$', '') or nil
end

--- The running client, started for the repository of the buffer when there is none.
function M.attach(buffer)
  buffer = buffer or vim.api.nvim_get_current_buf()
  local root = root_of(buffer)
  if not root then return nil end
  local options = M.options
  for _, client in pairs(vim.lsp.get_active_clients and vim.lsp.get_active_clients() or vim.lsp.get_clients()) do
    if client.name == 'oracl' and client.config.root_dir == root then
      vim.lsp.buf_attach_client(buffer, client.id)
      M.client_id = client.id
      return client.id
    end
  end
  local init = vim.tbl_extend('force', {}, options)
  init.cmd, init.commands = nil, nil
  M.client_id = vim.lsp.start_client({
    name = 'oracl', cmd = options.cmd, root_dir = root, capabilities = capabilities(),
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    init_options = init,
    handlers = {
      ['window/showDocument'] = function(_, params)
        M.open({ uri = params.uri, range = params.selection })
        return { success = true }
      end,
    },
  })
  vim.lsp.buf_attach_client(buffer, M.client_id)
  return M.client_id
end

--- Ask the server; `with(result)` is called with the answer, a failure is told.
function M.ask(method, params, with)
  local client = vim.lsp.get_client_by_id(M.attach() or -1)
  if not client then
    return vim.notify('oracl: this file lies in no git repository', vim.log.levels.WARN)
  end
  local function answered(error, result)
    if error then return vim.notify('oracl: ' .. error.message, vim.log.levels.WARN) end
    with(result)
  end
  if vim.fn.has('nvim-0.11') == 1 then return client:request(method, params, answered) end
  return client.request(method, params, answered)
end

local function here() return { uri = vim.uri_from_bufnr(0) } end

local function because(reasons)
  local texts, seen = {}, {}
  for _, reason in ipairs(reasons or {}) do
    if #texts < 2 and reason.share > 0 and not seen[reason.text] then
      seen[reason.text] = true
      table.insert(texts, reason.text)
    end
  end
  return table.concat(texts, '; ')
end

local function line(range) return range and range ~= vim.NIL and range.start.line + 1 or 1 end

--- Open a result.
function M.open(row)
  vim.cmd('edit ' .. vim.fn.fnameescape(vim.uri_to_fname(row.uri)))
  vim.api.nvim_win_set_cursor(0, { math.min(line(row.range), vim.api.nvim_buf_line_count(0)), 0 })
end

local function quickfix(title, rows)
  vim.fn.setqflist({}, ' ', { title = title, items = rows })
  if #rows == 0 then return vim.notify('oracl: nothing', vim.log.levels.INFO) end
  vim.cmd('copen')
end

--- Search the workspace in any words; the answers go to the quickfix list.
function M.search(query)
  M.ask('oracl/search', { query = query }, function(answer)
    quickfix('oracl: ' .. query, vim.tbl_map(function(row)
      local text = (row.title ~= '' and row.title .. ' — ' or '') .. because(row.reasons)
      return { filename = vim.uri_to_fname(row.uri), lnum = line(row.range), text = text }
    end, answer.results))
  end)
end

--- Choose among the files that go with this one.
function M.related()
  M.ask('oracl/related', here(), function(answer)
    if #answer.results == 0 then return vim.notify('oracl: nothing is related', vim.log.levels.INFO) end
    vim.ui.select(answer.results, {
      prompt = 'Related artifacts',
      format_item = function(row) return string.format('%s  %.2f  %s', row.path, row.score, because(row.reasons)) end,
    }, function(row) if row then M.open(row) end end)
  end)
end

--- What depends on this file ("in", the default), or what it depends on ("out"), in the quickfix list.
function M.trace(direction)
  local params = vim.tbl_extend('force', here(), { direction = direction or 'in', depth = 2 })
  M.ask('oracl/trace', params, function(answer)
    local rows = {}
    local function walk(step, indent)
      for _, child in ipairs(step.children) do
        local text = string.rep('  ', indent) .. child.relation .. ' ' .. child.symbol
        table.insert(rows, { filename = vim.uri_to_fname(child.uri), lnum = line(child.range), text = text })
        walk(child, indent + 1)
      end
    end
    walk(answer.tree, 0)
    quickfix('oracl: trace ' .. params.direction, rows)
  end)
end

--- Say where each repository stands.
function M.status()
  M.ask('oracl/status', vim.empty_dict(), function(answer)
    for _, root in ipairs(answer.roots) do
      vim.notify(string.format('oracl: %s %s, %d files %s', root.name, root.state, root.artifacts, root.message))
    end
  end)
end

function M.setup(options)
  M.options = vim.tbl_extend('force', { cmd = { 'git-oracl', 'lsp' }, commands = true }, options or {})
  local group = vim.api.nvim_create_augroup('oracl', { clear = true })
  vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = group, callback = function(event) M.attach(event.buf) end,
  })
  if M.options.commands then
    local command = vim.api.nvim_create_user_command
    command('OraclSearch', function(given) M.search(given.args) end, { nargs = '+' })
    command('OraclRelated', function() M.related() end, {})
    command('OraclTrace', function(given) M.trace(given.args ~= '' and given.args or nil) end, {
      nargs = '?', complete = function() return { 'in', 'out', 'both' } end,
    })
    command('OraclStatus', function() M.status() end, {})
  end
end

return M
