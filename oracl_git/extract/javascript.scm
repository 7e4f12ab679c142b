; What is read of a JavaScript tree beside what ecmascript.scm says.

(class_body (field_definition property: (_) @name value: [(arrow_function) (function_expression)]) @definition.method
  @public)

; What is exported where it is defined, and from which word on.
(export_statement declaration: (_ name: (_) @name)) @definition.function @public
(export_statement declaration: (_ (variable_declarator name: (identifier) @name))) @definition.constant @public
