; What is read of a TypeScript tree.

(import_statement
  (import_clause [
    (identifier)
    (namespace_import)
    (named_imports (import_specifier name: (_) @member)*)
  ]*)?
  source: (string) @path) @import
(export_statement (export_clause (export_specifier name: (_) @member)*) source: (string) @path) @import
(export_statement "*" @whole source: (string) @path) @import
((call_expression function: (identifier) @_require arguments: (arguments . (string) @path @import))
  (#eq? @_require "require"))
((call_expression function: (member_expression object: (identifier) @_require property: (property_identifier) @_resolve)
  arguments: (arguments . (string) @path @import))
  (#eq? @_require "require") (#eq? @_resolve "resolve"))
(call_expression function: (import) arguments: (arguments . (string) @path @import))

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.method
(class_body (public_field_definition name: (_) @name value: [(arrow_function) (function_expression)]) @definition.method)
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)])
  @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class
(program (export_statement (_ (variable_declarator name: (identifier) @name) @definition.constant)))
(expression_statement (assignment_expression
  left: (member_expression property: (property_identifier) @name)
  right: [(function_expression) (arrow_function)]) @definition.function)

; What is exported, and from which word on.
(export_statement declaration: [
  (function_declaration name: (_) @name)
  (generator_function_declaration name: (_) @name)
  (class_declaration name: (_) @name)
  (_ (variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (class)]))
]) @definition.function

(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.type
(internal_module name: (identifier) @name) @definition.module
(abstract_method_signature name: (_) @name) @definition.method
(import_require_clause source: (string) @path) @import
