; What is read of a C++ tree. Imports are found without it: preprocessor lines break trees.

(function_definition (storage_class_specifier "static" @private)? declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: (identifier) @name))
]) @definition.function
(function_definition declarator: [
  (function_declarator declarator: (qualified_identifier scope: (_) @scope name: (_) @name))
  (pointer_declarator declarator: (function_declarator
    declarator: (qualified_identifier scope: (_) @scope name: (_) @name)))
  (reference_declarator (function_declarator declarator: (qualified_identifier scope: (_) @scope name: (_) @name)))
]) @definition.method
(function_definition declarator: [
  (function_declarator declarator: [(field_identifier) (destructor_name) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @definition.method
(declaration (storage_class_specifier "static" @private)? declarator: [
  (function_declarator declarator: (identifier) @name)
  (pointer_declarator declarator: (function_declarator declarator: (identifier) @name))
  (reference_declarator (function_declarator declarator: (identifier) @name))
]) @definition.function
(field_declaration declarator: [
  (function_declarator declarator: [(field_identifier) (operator_name)] @name)
  (pointer_declarator declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name))
  (reference_declarator (function_declarator declarator: [(field_identifier) (operator_name)] @name))
]) @definition.method
(class_specifier name: [(type_identifier) @name (template_type name: (_) @name)] body: (_)) @definition.class
(struct_specifier name: [(type_identifier) @name (template_type name: (_) @name)] body: (_)) @definition.class
(union_specifier name: (type_identifier) @name body: (_)) @definition.class
(enum_specifier name: (type_identifier) @name body: (_)) @definition.class
(namespace_definition name: (_) @name) @definition.module
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.trait
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
]) @definition.type
(preproc_function_def name: (identifier) @name) @definition.function
(preproc_def name: (identifier) @name value: (_)) @definition.constant

((function_definition declarator: (function_declarator declarator: (identifier) @entry)) (#eq? @entry "main"))
