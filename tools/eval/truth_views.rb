# Where views of Rails lead, as ActionView's own lookup finds them: the truth for tools/eval/imports.py.
#
#     ruby tools/eval/truth_views.rb REPOSITORY [DIRECTORY-OF-VIEWS …] > TRUTH.jsonl
#
# Needs actionpack, actionview, haml and slim (and Ripper). ERB is compiled by ActionView's handler, the others by their own engines;
# calls of `render` with literal names are those that Ripper sees in the code; a view is looked for in the app/views of its own part of the tree, then in those
# of all others. A public method of a controller leads to the view of its name, where there is one,
# and `layout "x"` to layouts/x.

require "action_dispatch"
require "action_dispatch/http/mime_type"
require "action_view"
require "haml"
require "json"
require "ripper"
require "slim"

place = File.realpath(ARGV.fetch(0))
files = `git -C #{place} ls-files -z`.split("\0")
roots = files.filter_map { |path| path[%r{\A(.*?(?:/|\A))?app/views(?=/)}] }.uniq.sort | ARGV.drop(1)
locales = [:en, *files.filter_map { |path| path[%r{app/views/.*\.([a-z]{2}(?:-[A-Z]{2})?)\.\w+\.\w+\z}, 1]&.to_sym }.uniq]
Mime::Type.register_alias("text/html", :mobile)
Mime::Type.register("text/vnd.turbo-stream.html", :turbo_stream)
ActionView::Template::Types.delegate_to(Mime)
ActionView::Template::Handlers # loaded
%i[haml slim jbuilder].each { |kind| ActionView::Template.register_template_handler(kind, ->(_, text) { text }) }

ENGINES = {
  ".erb" => ->(text) { ActionView::Template::Handlers::ERB::Erubi.new(text, trim: true, escape: false).src },
  ".haml" => ->(text) { Haml::Engine.new.call(text) },
  ".slim" => ->(text) { Slim::Engine.new(pretty: false, disable_escape: true).call(text) },
}

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
def walk(node, scope, hidden, calls, methods, layouts)
  return unless node.is_a?(Array)
  case node[0]
  when :class
    name = node[1].flatten.select { |each| each.is_a?(String) }.join("::")
    inner = scope.empty? ? name : "#{scope}::#{name}"
    state = [false]
    return node[3..].each { |each| walk(each, inner, state, calls, methods, layouts) }
  when :module
    name = node[1].flatten.select { |each| each.is_a?(String) }.join("::")
    inner = scope.empty? ? name : "#{scope}::#{name}"
    return node[2..].each { |each| walk(each, inner, [false], calls, methods, layouts) }
  when :vcall
    hidden[0] = true if %w[private protected].include?(node[1][1])
    hidden[0] = false if node[1][1] == "public"
  when :def
    methods << [scope, node[1][1]] unless hidden[0]
  when :command
    calls << [scope, arguments(node[2])] if %w[render render_to_string].include?(node[1][1])
    layout = literal(arguments(node[2])[0]) if node[1][1] == "layout"
    layouts << layout if layout
  when :method_add_arg
    if node[1][0] == :fcall && %w[render render_to_string].include?(node[1][1][1])
      calls << [scope, arguments(node[2])]
    end
  end
  node.each { |each| walk(each, scope, hidden, calls, methods, layouts) if each.is_a?(Array) }
end

def underscored(name)
  ActiveSupport::Inflector.underscore(name)
end

contexts = Hash.new do |known, own|
  known[own] = ActionView::LookupContext.new([own, *(roots - [own])].map { |root| File.join(place, root) })
end

files.each do |source|
  next unless source =~ /\.(erb|haml|slim|jbuilder|rb)\z/ && source =~ %r{(\A|/)app/}
  own = roots.find { |root| source.start_with?(root.delete_suffix("views")) } or next
  text = File.read(File.join(place, source), encoding: "UTF-8")
  view = source.include?("/views/") || source.start_with?("app/views/")
  begin
    tree = Ripper.sexp(ENGINES.fetch(File.extname(source), :itself.to_proc).call(text))
  rescue StandardError, ScriptError
    tree = nil
  end
  next warn("not read: #{source}") unless tree
  calls, methods, layouts = [], [], []
  walk(tree, "", [false], calls, methods, layouts)
  context = contexts[own]
  folder = view ? File.dirname(source).delete_prefix(own).delete_prefix("/") : nil
  wanted = layouts.map { |each| Call.new("layouts/#{each}", false, nil) }
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
      found = prefixes.map { |each| context.find_all(name || call.name, [each], call.partial, [], formats: %i[html text json js xml turbo_stream rss atom mobile csv ics], locale: locales) }
    rescue StandardError => error
      next warn("#{source}: #{call.name}: #{error.message}")
    end
    targets = (found.find(&:any?) || []).map { |each| each.identifier.delete_prefix("#{place}/") } & files
    puts JSON.generate(source: source, name: call.name, targets: targets) if targets.any? && targets != [source]
  end
end
