# kakrc, for kakoune-lsp 18 or newer: a further server beside the one that `lsp-enable` sets for a language, so
# the hook comes after it. Kakoune may set the type of a buffer more than once; the server is named once.
evaluate-commands %sh{kak-lsp}
lsp-enable
hook global BufSetOption filetype=(c|cpp|css|go|html|java|javascript|kotlin|make|markdown|php|python|restructuredtext|ruby|rust|scss|terraform|toml|typescript|yaml) %{
    evaluate-commands %sh{
        case "$kak_opt_lsp_servers" in *'[oracl]'*) exit ;; esac
        echo 'set-option -add buffer lsp_servers %{
            [oracl]
            root_globs = [".git"]
            command = "git-oracl"
            args = ["lsp"]
        }'
    }
}
