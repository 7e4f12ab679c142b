# kakrc, for kakoune-lsp 18 or newer: a further server beside those that are set already.
eval %sh{kak-lsp}
hook global BufSetOption filetype=(python|markdown|restructuredtext) %{
    set-option -add buffer lsp_servers %{
        [oracl]
        root_globs = [".git"]
        command = "git-oracl"
        args = ["lsp"]
    }
}
lsp-enable
