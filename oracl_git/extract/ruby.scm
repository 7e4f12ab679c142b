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

(class name: (_) @name) @definition.class @apart
(module name: (_) @name) @definition.module @apart
(method name: (_) @name) @definition.method
(singleton_method name: (_) @name) @definition.method @apart
(singleton_class) @within
((body_statement (identifier) @below @private) (#any-of? @below "private" "protected"))
((body_statement (identifier) @below) (#any-of? @below "public" "module_function"))
(assignment left: (constant) @name right: (_ receiver: (constant) @_struct method: (identifier) @_new)
  (#any-of? @_struct "Struct" "Class" "Data" "Module") (#any-of? @_new "new" "define")) @definition.class @apart
(assignment left: (constant) @name) @definition.constant @apart
((if condition: (_ left: (_) @_file right: (_) @entry)) (#eq? @_file "__FILE__"))

; What stands below __END__ is no code.
[(string_content) (heredoc_beginning) (heredoc_content) (heredoc_end) (simple_symbol) (hash_key_symbol)
 (uninterpreted)] @string
(comment) @comment
