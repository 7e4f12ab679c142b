; What is read of a C++ tree. Imports are found without it: preprocessor lines break trees.

; What has a declarator and parameters is a function's declarator.
(function_definition declarator: [
  (_ declarator: [
    (identifier) @name (field_identifier) @name (destructor_name) @name (operator_name) @name
    (_ scope: (_) @scope name: (_) @name) (template_function name: (_) @name)
  ] parameters: (_))
  (pointer_declarator declarator: (_ declarator: [
    (identifier) @name (field_identifier) @name (operator_name) @name (_ scope: (_) @scope name: (_) @name)
  ] parameters: (_)))
  (reference_declarator (_ declarator: [
    (identifier) @name (field_identifier) @name (operator_name) @name (_ scope: (_) @scope name: (_) @name)
  ] parameters: (_)))
]) @definition.function
(declaration declarator: [
  (_ declarator: (identifier) @name parameters: (_))
  (pointer_declarator declarator: (_ declarator: (identifier) @name parameters: (_)))
  (reference_declarator (_ declarator: (identifier) @name parameters: (_)))
]) @definition.function
(field_declaration declarator: [
  (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_))
  (pointer_declarator declarator: (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_)))
  (reference_declarator (_ declarator: [(field_identifier) (operator_name)] @name parameters: (_)))
]) @definition.method
(class_specifier name: [(type_identifier) @name (template_type name: (_) @name)] body: (_)) @definition.class
(struct_specifier name: [(type_identifier) @name (template_type name: (_) @name)] body: (_)) @definition.class
(union_specifier name: (type_identifier) @name body: (_)) @definition.class
(enum_specifier name: (type_identifier) @name body: (_)) @definition.class
(namespace_definition name: (_) @name) @definition.module
(namespace_definition !name) @within @private
(class_specifier body: (field_declaration_list "{" @below @private))
(access_specifier "private") @below @private
(access_specifier ["public" "protected"]) @below
(alias_declaration name: (type_identifier) @name) @definition.type
(concept_definition name: (identifier) @name) @definition.trait
(type_definition declarator: [
  (type_identifier) @name
  (pointer_declarator declarator: (type_identifier) @name)
  (array_declarator declarator: (type_identifier) @name)
  (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))
]) @definition.type
(preproc_function_def name: (identifier) @name) @definition.function
(preproc_def name: (identifier) @name value: (_)) @definition.constant

; A static function is its file's own; a static member is not.
(function_definition (_ "static") @private declarator: [
  (_ declarator: (identifier) @name parameters: (_))
  (pointer_declarator declarator: (_ declarator: (identifier) @name parameters: (_)))
  (reference_declarator (_ declarator: (identifier) @name parameters: (_)))
]) @definition.function
(declaration (_ "static") @private declarator: [
  (_ declarator: (identifier) @name parameters: (_))
  (pointer_declarator declarator: (_ declarator: (identifier) @name parameters: (_)))
  (reference_declarator (_ declarator: (identifier) @name parameters: (_)))
]) @definition.function

((function_definition declarator: (_ declarator: (identifier) @entry parameters: (_))) (#eq? @entry "main"))
