# Where views of Rails lead, as ActionView's own lookup finds them: the truth for tools/eval/imports.py.
#
#     ruby tools/eval/truth_views.rb REPOSITORY > TRUTH.jsonl
#
# Needs actionview (and Ripper). ERB is compiled by ActionView's handler, calls of `render` with literal names are those that
# Ripper sees in the code; a view is looked for in the app/views of its own part of the tree, then in those
# of all others. A public method of a controller leads to the view of its name, where there is one.

require "action_view"
require "json"
require "ripper"

place = File.realpath(ARGV.fetch(0))
files = `git -C #{place} ls-files -z`.split("\0")
roots = files.filter_map { |path| path[%r{\A(.*?(?:/|\A))?app/views(?=/)}] }.uniq.sort
ActionView::Template::Handlers # loaded

Call = Struct.new(:name, :partial, :prefix, :any)

def literal(node)
  return nil unless node.is_a?(Array)
  case node[0]
  when :string_literal then node[1][0] == :string_content && node[1].length == 2 && node[1][1][0] == :@tstring_content ? node[1][1][1] : nil
  when :symbol_literal then node[1][1][1]
  end
end

def arguments(node)
  return [] unless node.is_a?(Array)
  case node[0]
  when :arg_paren then arguments(node[1])
  when :args_add_block then arguments(node[1])
  else node[0].is_a?(Symbol) ? [] : node
  end
end

def pairs(node)
  return {} unless node.is_a?(Array) && %i[bare_assoc_hash hash].include?(node[0])
  list = node[0] == :hash ? (node[1] || [nil, []])[1] : node[1]
  (list || []).each_with_object({}) do |each, found|
    next unless each[0] == :assoc_new
    key = each[1][0] == :@label ? each[1][1].delete_suffix(":") : literal(each[1])
    found[key] = each[2] if key
  end
end

# Calls block with (name of the class around, the arguments) of each `render`, and (class, method) of each definition.
def walk(node, scope, hidden, calls, methods)
  return unless node.is_a?(Array)
  case node[0]
  when :class
    name = node[1].flatten.select { |each| each.is_a?(String) }.join("::")
    inner = scope.empty? ? name : "#{scope}::#{name}"
    state = [false]
    return node[3..].each { |each| walk(each, inner, state, calls, methods) }
  when :module
    name = node[1].flatten.select { |each| each.is_a?(String) }.join("::")
    inner = scope.empty? ? name : "#{scope}::#{name}"
    return node[2..].each { |each| walk(each, inner, [false], calls, methods) }
  when :vcall
    hidden[0] = true if %w[private protected].include?(node[1][1])
    hidden[0] = false if node[1][1] == "public"
  when :def
    methods << [scope, node[1][1]] unless hidden[0]
  when :command
    calls << [scope, arguments(node[2])] if %w[render render_to_string].include?(node[1][1])
  when :method_add_arg
    if node[1][0] == :fcall && %w[render render_to_string].include?(node[1][1][1])
      calls << [scope, arguments(node[2])]
    end
  end
  node.each { |each| walk(each, scope, hidden, calls, methods) if each.is_a?(Array) }
end

def underscored(name)
  ActiveSupport::Inflector.underscore(name)
end

contexts = Hash.new do |known, own|
  known[own] = ActionView::LookupContext.new([own, *(roots - [own])].map { |root| File.join(place, root) })
end

files.each do |source|
  next unless source =~ /\.(erb|jbuilder|rb)\z/ && source =~ %r{(\A|/)app/}
  own = roots.find { |root| source.start_with?(root.delete_suffix("views")) } or next
  text = File.read(File.join(place, source), encoding: "UTF-8")
  view = source.include?("/views/") || source.start_with?("app/views/")
  begin
    code = text
    code = ActionView::Template::Handlers::ERB::Erubi.new(text, trim: true, escape: false).src if source.end_with?(".erb")
    tree = Ripper.sexp(code)
  rescue StandardError
    tree = nil
  end
  next warn("not read: #{source}") unless tree
  calls, methods = [], []
  walk(tree, "", [false], calls, methods)
  context = contexts[own]
  folder = view ? File.dirname(source).delete_prefix(own).delete_prefix("/") : nil
  wanted = []
  calls.each do |scope, given|
    controller = scope[/\A(.*)(Controller|Mailer)\z/] && underscored(scope).delete_suffix("_controller")
    prefix = folder || controller
    positional = literal(given[0])
    keyed = pairs(given.last)
    wanted << Call.new(positional, view || !controller, prefix) if positional
    wanted << Call.new(literal(keyed["partial"]), true, prefix) if literal(keyed["partial"])
    wanted << Call.new(literal(keyed["template"]), false, prefix) if literal(keyed["template"])
    wanted << Call.new(literal(keyed["action"]), false, prefix) if literal(keyed["action"]) && controller
  end
  methods.each do |scope, method|
    next unless scope =~ /(Controller|Mailer)\z/
    wanted << Call.new(method, false, underscored(scope).delete_suffix("_controller"))
  end
  wanted.uniq.each do |call|
    prefixes = call.name.include?("/") ? [""] : [call.prefix, "application"].compact
    next if prefixes.empty?
    name, prefixes = File.basename(call.name), [File.dirname(call.name)] if call.name.include?("/")
    begin
      found = prefixes.map { |each| context.find_all(name || call.name, [each], call.partial, [], formats: %i[html text json js xml turbo_stream rss]) }
    rescue StandardError => error
      next warn("#{source}: #{call.name}: #{error.message}")
    end
    targets = (found.find(&:any?) || []).map { |each| each.identifier.delete_prefix("#{place}/") } & files
    puts JSON.generate(source: source, name: call.name, targets: targets) if targets.any? && targets != [source]
  end
end
