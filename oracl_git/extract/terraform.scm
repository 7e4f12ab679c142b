; What is read of a Terraform tree: top-level blocks by the names they are referred to by.

((body (block (identifier) @_kind . (string_lit (template_literal) @scope) . (string_lit (template_literal) @name))
  @definition.class) (#any-of? @_kind "resource" "data"))
((body (block (identifier) @scope . (string_lit (template_literal) @name) . (block_start)) @definition.module)
  (#eq? @scope "module"))
((body (block (identifier) @scope . (string_lit (template_literal) @name) . (block_start)) @definition.constant)
  (#any-of? @scope "variable" "output"))
((body (block (identifier) @_kind . (block_start)
  (body (attribute (identifier) @name) @definition.constant))) (#eq? @_kind "locals"))
