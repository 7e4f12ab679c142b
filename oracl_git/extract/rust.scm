; What is read of a Rust tree.

(function_item (visibility_modifier "pub" @public .)? name: (identifier) @name) @definition.function
(trait_item body: (declaration_list [
  (function_signature_item name: (identifier) @name)
  (function_item name: (identifier) @name)
] @definition.method @public))
(struct_item (visibility_modifier "pub" @public .)? name: (_) @name) @definition.class
(enum_item (visibility_modifier "pub" @public .)? name: (_) @name) @definition.class
(union_item (visibility_modifier "pub" @public .)? name: (_) @name) @definition.class
(trait_item (visibility_modifier "pub" @public .)? name: (_) @name) @definition.trait
(type_item (visibility_modifier "pub" @public .)? name: (_) @name) @definition.type
(const_item (visibility_modifier "pub" @public .)? name: (_) @name) @definition.constant
(static_item (visibility_modifier "pub" @public .)? name: (_) @name) @definition.constant
(mod_item (visibility_modifier "pub" @public .)? name: (_) @name body: (_)) @definition.module
(foreign_mod_item body: (declaration_list
  (function_signature_item (visibility_modifier "pub" @public .)? name: (_) @name) @definition.function))
(macro_definition name: (_) @name) @definition.function
((attribute_item (attribute (identifier) @_export)) @public . (attribute_item)? . (attribute_item)?
  . (macro_definition name: (_) @name) @definition.function
  (#eq? @_export "macro_export"))
(impl_item type: [
  (type_identifier) @scope
  (generic_type type: (type_identifier) @scope)
  (scoped_type_identifier name: (_) @scope)
  (generic_type type: (scoped_type_identifier name: (_) @scope))
  (primitive_type) @scope
  (array_type) @scope
  (tuple_type) @scope
  (dynamic_type trait: (_) @scope)
  (reference_type type: (type_identifier) @scope)
  (reference_type type: (primitive_type) @scope)
  (reference_type type: (generic_type type: (type_identifier) @scope))
]) @within

(use_declaration argument: (_) @path) @import
(extern_crate_declaration name: (_) @path) @import
(mod_item name: (_) @path !body) @import

(source_file (macro_invocation (token_tree "{" "}") @again))
(declaration_list (macro_invocation (token_tree "{" "}") @again))

((source_file (function_item name: (identifier) @entry)) (#eq? @entry "main"))

[(string_literal) (raw_string_literal) (char_literal)] @string
