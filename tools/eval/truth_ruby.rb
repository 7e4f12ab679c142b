# What Ruby's own parser makes of a repository: which file of it a require or a constant leads to.
#
#     ruby tools/eval/truth_ruby.rb REPOSITORY > truth.jsonl
#
# A line is one file that is required, loaded or autoloaded by a literal name (kind "import"), or one
# constant that another file of the repository defines (kind "use"), looked up through the modules
# around it as Ruby does. Required names are tried in the lib/, test/ and spec/ directories that stand
# at the top or beside a gemspec. Of a module that several files open, all are targets where one of them
# is where autoloaders would look (Zeitwerk: A::BigName is a/big_name.rb, or a/bigname.rb if told so); others are left out, and so
# are those called like a gem that a Gemfile or gemspec names.
require "json"
require "ripper"
require "set"

ROOT = File.realpath(ARGV[0])
FILES = `git -C #{ROOT} ls-files -z`.split("\0").reject { |f| File.symlink?(File.join(ROOT, f)) }
SOURCES = FILES.select { |f| f =~ /\.(rb|rake|ru|gemspec)\z/ || f =~ /(\A|\/)(Rakefile|Gemfile)\z/ }
KNOWN = FILES.to_set
# What gems are called that this tree needs and is not: it may open their modules, and those stay theirs.
GEMS = FILES.grep(/(\A|\/)(Gemfile(\.lock)?|[^\/]+\.gemspec)\z/).flat_map do |file|
  text = File.read(File.join(ROOT, file), encoding: "UTF-8")
  text.scan(/^ {4}([\w-]+) \(/).flatten + text.scan(/(?:\bgem|_dependency)[ (]+["']([\w-]+)["']/).flatten
end.flat_map { |name| [name.delete("_-"), name[/\A[a-z0-9]+/]] }.to_set - FILES.grep(/\.gemspec\z/).map { |file| File.basename(file, ".gemspec").delete("_-") }
BESIDE = (["."] + FILES.grep(/\.gemspec\z/).map { |f| File.dirname(f) }).uniq
LOAD = BESIDE.flat_map { |d| %w[lib test spec].map { |r| d == "." ? r : "#{d}/#{r}" } }

class Walk
  attr_reader :defined, :required, :used

  def initialize(file)
    @file, @defined, @required, @used = file, Set.new, [], Set.new
  end

  def name(node)
    case node && node[0]
    when :const_ref, :var_ref, :var_field then node[1][0] == :@const ? node[1][1] : nil
    when :top_const_ref, :top_const_field then "::#{node[1][1]}"
    when :const_path_ref, :const_path_field
      head = name(node[1])
      head && "#{head}::#{node[2][1]}"
    end
  end

  def literal(node)
    node = node[1] while node.is_a?(Array) && %i[arg_paren args_add_block].include?(node[0]) && node[1].is_a?(Array) && node[0] != :args
    first = node.is_a?(Array) && node[0].is_a?(Array) ? node : [node]
    texts = first.map { |n| n.is_a?(Array) && n[0] == :string_literal && n[1].length == 2 && n[1][1][0] == :@tstring_content ? n[1][1][1] : nil }
    [first, texts]
  end

  def walk(node, nest)
    return unless node.is_a?(Array)
    case node[0]
    when :module, :class
      said = name(node[1])
      full = said&.start_with?("::") ? said[2..] : (nest + [said]).join("::")
      @defined << full
      walk(node[2], nest) if node[0] == :class
      walk(node.last.is_a?(Array) ? node[node[0] == :class ? 3 : 2] : nil, nest + [full.delete_prefix(nest.join("::") + "::")])
      return
    when :assign
      said = name(node[1])
      if said && %i[var_field const_path_field].include?(node[1][0])
        @defined << (said.start_with?("::") ? said[2..] : (nest + [said]).join("::"))
        walk(node[2], nest)
        return
      end
    when :const_path_ref, :var_ref, :top_const_ref
      said = name(node)
      if said
        @used << [nest, said]
        return
      end
    when :command, :method_add_arg
      call = node[0] == :command ? node[1] : (node[1][0] == :fcall ? node[1][1] : nil)
      if call && call[0] == :@ident && %w[require require_relative load autoload].include?(call[1])
        _, texts = literal(node[2])
        text = call[1] == "autoload" ? texts[1] : texts[0]
        @required << [call[1], text] if text
      end
    end
    node.each { |child| walk(child, nest) }
  end
end

walks = SOURCES.to_h do |file|
  walk = Walk.new(file)
  tree = Ripper.sexp(File.binread(File.join(ROOT, file)).force_encoding("UTF-8").scrub)
  walk.walk(tree, []) if tree
  [file, walk]
end
where = Hash.new { |h, k| h[k] = [] }
walks.each { |file, walk| walk.defined.each { |name| where[name] << file } }

walks.each do |source, walk|
  rows = walk.required.filter_map do |how, text|
    file = text.end_with?(".rb", ".rake") ? text : "#{text}.rb"
    if how == "require_relative" || text.start_with?(".")
      place = File.expand_path(file, File.join(ROOT, File.dirname(source))).delete_prefix("#{ROOT}/")
      found = [place].select { |p| KNOWN.include?(p) }
    else
      found = LOAD.map { |d| "#{d}/#{file}" }.select { |p| KNOWN.include?(p) }
    end
    ["import", text, found] unless found.empty?
  end
  walk.used.each do |nest, said|
    scopes = (0..nest.length).map { |n| nest.first(nest.length - n).join("::") }
    scopes = [""] if said.start_with?("::")
    said = said.delete_prefix("::")
    whole, full = said, nil
    until full || said.empty?  # of what has not all of a name here, that it is in another is true, but not asked for
      full = scopes.map { |s| s.empty? ? said : "#{s}::#{said}" }.find { |f| where.key?(f) }
      said = said.rpartition("::").first unless full
    end
    next unless full
    found = where[full]
    next if found.include?(source) || GEMS.include?(full[/\A\w+/].downcase)
    next if found.length > 1 && found.count { |f| f.delete("_").end_with?("#{full.gsub("::", "/").downcase}.rb") } != 1
    rows << ["use", full, found, said == whole]
  end
  rows.uniq.each do |kind, name, found, asked = true|
    puts JSON.generate({ kind:, source:, name:, targets: found, asked: }) unless found.include?(source)
  end
end
