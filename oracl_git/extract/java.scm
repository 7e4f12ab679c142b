; What is read of a Java tree.

(package_declaration [(identifier) (scoped_identifier)] @name) @package
(import_declaration [(identifier) (scoped_identifier)] @path (asterisk)? @whole) @import

(class_declaration (modifiers ["public" "protected"] @public)? name: (_) @name) @definition.class
(record_declaration (modifiers ["public" "protected"] @public)? name: (_) @name) @definition.class
(enum_declaration (modifiers ["public" "protected"] @public)? name: (_) @name) @definition.class
(interface_declaration (modifiers ["public" "protected"] @public)? name: (_) @name) @definition.interface
(annotation_type_declaration (modifiers ["public" "protected"] @public)? name: (_) @name) @definition.interface
(method_declaration (modifiers ["public" "protected"] @public)? name: (_) @name) @definition.method
(constructor_declaration (modifiers ["public" "protected"] @public)? name: (_) @name) @definition.method
(compact_constructor_declaration (modifiers ["public" "protected"] @public)? name: (_) @name) @definition.method
(field_declaration (modifiers ["public" "protected"] @public "static" "final")
  declarator: (variable_declarator name: (_) @name)) @definition.constant
(field_declaration (modifiers "static" "final") declarator: (variable_declarator name: (_) @name)) @definition.constant

; What stands in an interface is public unless it says otherwise.
(interface_body (method_declaration name: (_) @name) @definition.method @public)
(annotation_type_body (annotation_type_element_declaration name: (_) @name) @definition.method @public)
(interface_body (method_declaration (modifiers "private" @private) name: (_) @name) @definition.method)
(interface_body [
  (class_declaration name: (_) @name) (record_declaration name: (_) @name) (enum_declaration name: (_) @name)
  (interface_declaration name: (_) @name) (annotation_type_declaration name: (_) @name)
] @definition.class @public)
(interface_body (constant_declaration declarator: (variable_declarator name: (_) @name)) @definition.constant @public)

((method_declaration (modifiers "static") type: (void_type) name: (_) @entry) (#eq? @entry "main"))

; What a module needs and offers at run time.
(uses_module_directive type: (_) @path) @import
(provides_module_directive [(identifier) (scoped_identifier)] @path @import)

[(string_literal) (character_literal)] @string
(enum_constant name: (_) @string)
[(line_comment) (block_comment)] @comment
