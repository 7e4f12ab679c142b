; What is read of a Go tree.

(function_declaration name: (identifier) @name) @definition.function
(method_declaration
  receiver: (parameter_list
    (parameter_declaration type: [
      (type_identifier) @scope
      (generic_type type: (type_identifier) @scope)
      (pointer_type (type_identifier) @scope)
      (pointer_type (generic_type type: (type_identifier) @scope))]))
  name: (field_identifier) @name) @definition.method
(type_declaration (type_spec name: (type_identifier) @name type: (interface_type)) @definition.interface)
(type_declaration (type_spec name: (type_identifier) @name) @definition.class)
(type_declaration (type_alias name: (type_identifier) @name) @definition.type)
(source_file (const_declaration (const_spec (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec (identifier) @name) @definition.constant))
(source_file (var_declaration (var_spec_list (var_spec (identifier) @name) @definition.constant)))

(import_spec name: (_)? @whole path: (_) @path) @import

((package_clause (package_identifier) @entry) (#eq? @entry "main"))
