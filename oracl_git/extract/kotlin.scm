; What is read of a Kotlin tree.

(package_header (qualified_identifier) @name) @package
(import (qualified_identifier) @path [(identifier) "*"]? @whole) @import

(class_declaration (modifiers (visibility_modifier ["private" "internal"] @private))? "interface" name: (_) @name)
  @definition.interface
(class_declaration (modifiers (visibility_modifier ["private" "internal"] @private))? name: (_) @name)
  @definition.class
(object_declaration (modifiers (visibility_modifier ["private" "internal"] @private))? name: (_) @name)
  @definition.class
(type_alias (modifiers (visibility_modifier ["private" "internal"] @private))? type: (_) @name) @definition.type
(function_declaration (modifiers (visibility_modifier ["private" "internal"] @private))? name: (_) @name)
  @definition.function
(source_file (property_declaration (modifiers (visibility_modifier ["private" "internal"] @private))?
  (variable_declaration . (identifier) @name)) @definition.constant)
(property_declaration (modifiers (visibility_modifier ["private" "internal"] @private)? (property_modifier "const"))
  (variable_declaration . (identifier) @name)) @definition.constant

((source_file (function_declaration name: (_) @entry)) (#eq? @entry "main"))

[(string_literal) (multiline_string_literal) (character_literal)] @string
[(line_comment) (block_comment)] @comment
