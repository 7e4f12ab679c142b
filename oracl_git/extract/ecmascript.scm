; What is read of a tree of JavaScript, and of TypeScript too.

(import_statement source: (string) @path) @import
(import_statement (_ (named_imports (_ name: (_) @member))) source: (string) @path) @import
(export_statement (export_clause (_ name: (_) @member)) source: (string) @path) @import
(export_statement "*" @whole source: (string) @path) @import
(export_statement (namespace_export) source: (string) @path) @import
((call_expression function: (identifier) @_require arguments: (_ . (string) @path @import))
  (#eq? @_require "require"))
((call_expression function: (_ object: (identifier) @_require property: (property_identifier) @_resolve)
  arguments: (_ . (string) @path @import))
  (#eq? @_require "require") (#eq? @_resolve "resolve"))
(call_expression function: (import) arguments: (_ . (string) @path @import))
((call_expression function: (identifier) @_define arguments: (_ (array (string (string_fragment) @path @import))))
  (#any-of? @_define "define" "require" "requirejs") (#not-match? @path "^(require|exports|module)$"))

(function_declaration name: (_) @name) @definition.function
(generator_function_declaration name: (_) @name) @definition.function
(class_declaration name: (_) @name) @definition.class
(method_definition name: (_) @name) @definition.method @public
(export_statement "default" @name value: [
  (arrow_function) (function_expression !name) (class !name)
] @definition.function @public)

; What a name is bound to decides what it is; a constant is one at the top of a file.
(variable_declarator name: (identifier) @name value: [(arrow_function) (function_expression) (generator_function)])
  @definition.function
(variable_declarator name: (identifier) @name value: (class)) @definition.class
((variable_declarator name: (identifier) @name value: (_ function: (_) @_wrapper)) @definition.component
  (#match? @_wrapper "^(React\\.)?(memo|forwardRef|lazy|observer|defineComponent)$|^styled[.(]"))
(program (export_statement (_ (variable_declarator name: (identifier) @name) @definition.constant)))
(program (_ (variable_declarator name: (identifier) @name) @definition.constant))
(program (export_statement (_ (variable_declarator name: (_ [
  (shorthand_property_identifier_pattern) @name
  (object_assignment_pattern left: (_) @name)
  (pair_pattern value: (identifier) @name)
  (rest_pattern (identifier) @name)
  (identifier) @name
]) @definition.constant @public))))

; An object at the top of a file holds methods.
(program (_ (variable_declarator value: (object) @within)))
(program (export_statement (_ (variable_declarator value: (object) @within))))
(program (_ (variable_declarator value: (object
  (_ key: (property_identifier) @name value: [(arrow_function) (function_expression)])
  @definition.method @public))))
(program (export_statement (_ (variable_declarator value: (object
  (_ key: (property_identifier) @name value: [(arrow_function) (function_expression)])
  @definition.method @public)))))

; Before modules: what is assigned to exports, to a prototype, to a property of a function.
((expression_statement (assignment_expression
  left: (_ object: (_) @_owner property: (property_identifier) @name)
  right: [(arrow_function) (function_expression !name) (class !name)]) @definition.function @public)
  (#match? @_owner "^(module\\.exports|exports|module|window|global|globalThis|self)$"))
((expression_statement (assignment_expression
  left: (_ object: (_) @_owner property: (_))
  right: [(function_expression name: (_) @name) (class name: (_) @name)]) @definition.function @public)
  (#match? @_owner "^(module\\.exports|exports|module)$"))
((expression_statement (assignment_expression
  left: (_
    object: (_ object: (_) @scope property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @definition.method @public)
  (#any-of? @_prototype "prototype" "fn"))
((expression_statement (assignment_expression
  left: (_ object: (_) @scope property: (property_identifier) @_prototype)
  right: (object) @within))
  (#any-of? @_prototype "prototype" "fn"))
((expression_statement (assignment_expression
  left: (_ object: (_) property: (property_identifier) @_prototype)
  right: (object (_ key: (property_identifier) @name value: [(arrow_function) (function_expression)])
    @definition.method @public)))
  (#any-of? @_prototype "prototype" "fn"))
((expression_statement (assignment_expression
  left: (_ object: (identifier) @scope property: (property_identifier) @name)
  right: [(arrow_function) (function_expression)]) @definition.method @public)
  (#not-match? @scope "^(exports|module|window|global|globalThis|self)$"))
((expression_statement (assignment_expression
  left: (_ object: (_) @_owner property: (property_identifier) @name)
  right: [(string) (template_string) (number) (object) (array) (new_expression)]) @definition.constant @public)
  (#match? @_owner "^(module\\.)?exports$"))
((assignment_expression left: (_ object: (identifier) @_module property: (_)) right: (object
  (_ key: (property_identifier) @name value: [(arrow_function) (function_expression)]) @definition.method @public))
  (#eq? @_module "module"))

; What is exported elsewhere than where it is defined.
(export_statement (export_clause (_ name: (_) @exported)) !source)
(export_statement value: (identifier) @exported)
((assignment_expression left: (_ object: (_) @_owner property: (_)) right: (identifier) @exported)
  (#match? @_owner "^(module\\.exports|exports|module)$"))
((assignment_expression left: (_ object: (identifier) @_module property: (_)) right: (object [
  (shorthand_property_identifier) @exported
  (pair value: (identifier) @exported)
])) (#eq? @_module "module"))
