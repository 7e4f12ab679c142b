; What is read of a TypeScript tree beside what ecmascript.scm says.

(import_require_clause source: (string) @path) @import
(export_statement "=" (identifier) @exported)

(class_body (_ name: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
  @public)
(function_signature name: (_) @name) @definition.function
(abstract_class_declaration name: (_) @name) @definition.class
(interface_declaration name: (_) @name) @definition.interface
(type_alias_declaration name: (_) @name) @definition.type
(enum_declaration name: (_) @name) @definition.type
(internal_module name: (_) @name) @definition.module
(module name: (_) @name) @definition.module
(abstract_method_signature name: (_) @name) @definition.method @public

; What is exported where it is defined, and from which word on.
(export_statement declaration: (_ name: (_) @name)) @definition.function @public
(export_statement declaration: (_ (variable_declarator name: (identifier) @name))) @definition.constant @public

; What is declared to be there is there for everyone.
(ambient_declaration (_ (variable_declarator name: (identifier) @name) @definition.constant))
(ambient_declaration (_ name: (_) @name)) @definition.function @public
(ambient_declaration (_ (variable_declarator name: (identifier) @name))) @definition.constant @public
(export_statement declaration: (ambient_declaration (_ name: (_) @name))) @definition.function @public
(ambient_declaration [
  (statement_block (_ name: (_) @name) @definition.function @public)
  (_ body: (statement_block (_ name: (_) @name) @definition.function @public))
])

; What is private, whatever else is said of it.
(method_definition (accessibility_modifier) @private name: (_) @name
  (#match? @private "^(private|protected)$")) @definition.method
(abstract_method_signature (accessibility_modifier) @private name: (_) @name
  (#match? @private "^(private|protected)$")) @definition.method
(class_body (_ (accessibility_modifier) @private name: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
  (#match? @private "^(private|protected)$"))
