; What is read of a Python tree. Each capture list is sorted by position; the lists of
; one pattern are then parallel, because what nests does so in both.

(import_statement) @import
(import_from_statement) @import

(function_definition name: (identifier) @name) @definition
(class_definition name: (identifier) @name) @definition
(decorated_definition definition: (_) @decorated) @decoration

(function_definition body: (block . (expression_statement . (string) @docstring)))
(class_definition body: (block . (expression_statement . (string) @docstring)))

(assignment left: [(identifier) (pattern_list) (tuple_pattern)] @target) @assignment
(type_alias_statement left: (type . [(identifier) @target (generic_type . (identifier) @target)])) @assignment

(string_content) @string
(comment) @comment
