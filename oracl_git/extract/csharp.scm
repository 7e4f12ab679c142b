; What is read of a C# tree.

(namespace_declaration name: (_) @name) @package
(file_scoped_namespace_declaration name: (_) @name) @package
(using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @path) @import
(using_directive name: (_) @whole [(identifier) (qualified_name) (alias_qualified_name) (generic_name)] @path .) @import

(class_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.class
(struct_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.class
(record_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.class
(interface_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.interface
(enum_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.class
(delegate_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.type
(method_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.method
(constructor_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.method
(property_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.method
(event_declaration (modifier ["public" "protected"] @public)? name: (_) @name) @definition.method
(event_field_declaration (modifier ["public" "protected"] @public)?
  (variable_declaration (variable_declarator name: (_) @name))) @definition.method
(field_declaration (modifier ["public" "protected"] @public)? (modifier ["const" "static"])
  (variable_declaration (variable_declarator name: (_) @name))) @definition.constant

; What stands in an interface is public.
(interface_declaration body: (declaration_list [
  (method_declaration name: (_) @name)
  (property_declaration name: (_) @name)
  (event_declaration name: (_) @name)
  (event_field_declaration (variable_declaration (variable_declarator name: (_) @name)))
  (class_declaration name: (_) @name) (struct_declaration name: (_) @name) (record_declaration name: (_) @name)
  (interface_declaration name: (_) @name) (enum_declaration name: (_) @name) (delegate_declaration name: (_) @name)
] @definition.method @public))
(global_statement (local_function_statement name: (_) @name) @definition.function)

((method_declaration (modifier "static") name: (_) @entry) (#eq? @entry "Main"))
(global_statement) @entry

[(string_literal) (character_literal) (verbatim_string_literal) (raw_string_literal) (interpolated_string_expression)
 (preproc_region) (preproc_endregion)] @string
(enum_member_declaration name: (_) @string)
(comment) @comment
