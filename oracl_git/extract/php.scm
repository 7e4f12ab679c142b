; What is read of a PHP tree.

(namespace_definition name: (_)? @name) @package
(namespace_use_declaration) @import
[(require_expression) (require_once_expression) (include_expression) (include_once_expression)] @import

(class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(trait_declaration name: (_) @name) @definition.trait
(enum_declaration name: (_) @name) @definition.class
(method_declaration (visibility_modifier ["private" "protected"] @private)? name: (_) @name) @definition.method
(function_definition name: (_) @name) @definition.function
(const_declaration (visibility_modifier ["private" "protected"] @private)? (const_element . (name) @name)) @definition.constant

[(string) (encapsed_string) (heredoc_body) (nowdoc_body) (text)] @string
(enum_case name: (_) @string)
(comment) @comment
