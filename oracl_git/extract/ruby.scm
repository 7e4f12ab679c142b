; What is read of a Ruby tree.

((call method: (identifier) @_by arguments: (_ . (string . (string_content) @path .) .)) @import
  (#any-of? @_by "require" "require_relative" "load"))
((call method: (identifier) @_by arguments: (_ . (simple_symbol) @member (string . (string_content) @path .) .))
  @import (#eq? @_by "autoload"))
((call method: (identifier) @_by arguments: (_ . (simple_symbol) @member .)) @import
  (#eq? @_by "autoload"))
((call method: (identifier) @_by arguments: (_ . (_
  method: (identifier) @_join arguments: (_ (string . (string_content) @path .) [(identifier) (file)]) ))) @import
  (#any-of? @_by "require" "load") (#eq? @_join "expand_path"))

(class name: (_) @name) @definition.class
(module name: (_) @name) @definition.module
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method
(assignment left: (constant) @name right: (_ receiver: (constant) @_struct method: (identifier) @_new)
  (#any-of? @_struct "Struct" "Class" "Data" "Module") (#any-of? @_new "new" "define")) @definition.class
(assignment left: (constant) @name) @definition.constant
((if condition: (_ left: (_) @_file right: (_) @entry)) (#eq? @_file "__FILE__"))

[(string_content) (heredoc_content) (simple_symbol) (hash_key_symbol)] @string
(comment) @comment
