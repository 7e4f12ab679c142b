// What the compiler makes of the names in a repository's Java files: which file of it declares each.
//
//     java tools/eval/TruthJava.java REPOSITORY > truth.jsonl
//
// All files are attributed together, without the libraries they need: types that are not in the
// repository stay unknown, and nothing of the ones that are is lost. A line is one import (kind
// "import"), or one type that a file uses without naming it in an import, by its full name too (kind "use"). A type that
// several files declare (in several modules) has all of them as targets.

import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.File;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

class TruthJava {
    static final Map<String, Set<String>> declared = new TreeMap<>();

    public static void main(String[] arguments) throws Exception {
        Path root = Path.of(arguments[0]).toRealPath();
        List<File> files;
        try (Stream<Path> walk = Files.walk(root)) {
            files = walk.filter(p -> p.toString().endsWith(".java") && Files.isRegularFile(p, LinkOption.NOFOLLOW_LINKS))
                .filter(p -> !p.getFileName().toString().matches("(module|package)-info.java"))
                .sorted().map(Path::toFile).collect(Collectors.toList());
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var manager = compiler.getStandardFileManager(d -> {}, null, null);
        JavacTask parser = (JavacTask) compiler.getTask(null, manager, d -> {}, List.of("-proc:none"), null,
            manager.getJavaFileObjectsFromFiles(files));
        for (CompilationUnitTree unit : parser.parse()) {
            String place = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
            String name = unit.getPackageName() == null ? "" : unit.getPackageName().toString();
            for (Tree type : unit.getTypeDecls()) declare(name, type, place);
        }
        JavacTask task = (JavacTask) compiler.getTask(null, manager, d -> {},
            List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "1"), null,
            manager.getJavaFileObjectsFromFiles(files));
        var units = new ArrayList<CompilationUnitTree>();
        for (CompilationUnitTree unit : task.parse()) units.add(unit);
        try { task.analyze(); } catch (RuntimeException | AssertionError broken) { System.err.println("analysis: " + broken); }
        Trees trees = Trees.instance(task);
        for (CompilationUnitTree unit : units) report(root, unit, trees);
    }

    static void declare(String around, Tree tree, String place) {
        if (!(tree instanceof ClassTree type)) return;
        String name = around.isEmpty() ? type.getSimpleName().toString() : around + "." + type.getSimpleName();
        declared.computeIfAbsent(name, x -> new TreeSet<>()).add(place);
        for (Tree member : type.getMembers()) declare(name, member, place);
    }

    static void report(Path root, CompilationUnitTree unit, Trees trees) throws Exception {
        String said = unit.getSourceFile().getCharContent(true).toString();
        String source = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
        Set<String> imported = new TreeSet<>();
        for (ImportTree statement : unit.getImports()) {
            String name = statement.getQualifiedIdentifier().toString();
            boolean star = name.endsWith(".*");
            String full = star ? name.substring(0, name.length() - 2) : name;
            for (String part = full; !part.isEmpty(); part = part.substring(0, Math.max(0, part.lastIndexOf('.')))) {
                Set<String> targets = declared.get(part);
                if (targets != null) { print("import", source, targets, name); imported.addAll(targets); break; }
            }
        }
        Set<Set<String>> used = new LinkedHashSet<>();
        new TreePathScanner<Void, Void>() {
            @Override public Void visitImport(ImportTree tree, Void x) { return null; }
            @Override public Void visitPackage(PackageTree tree, Void x) { return scan(tree.getAnnotations(), x); }
            @Override public Void visitIdentifier(IdentifierTree tree, Void x) { return note(x); }
            @Override public Void visitMemberSelect(MemberSelectTree tree, Void x) {
                // A full name: selected from a package. Those that javac itself puts where a lambda leaves types out stand nowhere.
                long first = trees.getSourcePositions().getStartPosition(unit, tree);
                long last = trees.getSourcePositions().getEndPosition(unit, tree);
                if (first >= 0 && last > first && said.substring((int) first, (int) last).contains(tree.getIdentifier())) note(x);
                return super.visitMemberSelect(tree, x);
            }
            private Void note(Void x) {
                Element element = trees.getElement(getCurrentPath());
                if (element instanceof TypeElement type && (type.getKind().isClass() || type.getKind().isInterface())
                    && type.getEnclosingElement() != null && type.getEnclosingElement().getKind() == ElementKind.PACKAGE) {
                    Set<String> targets = declared.get(type.getQualifiedName().toString());
                    if (targets != null && !targets.contains(source) && Collections.disjoint(imported, targets)) used.add(targets);
                }
                return null;
            }
        }.scan(unit, null);
        for (Set<String> targets : used) print("use", source, targets, "");
    }

    static void print(String kind, String source, Set<String> targets, String name) {
        System.out.println("{\"kind\": \"" + kind + "\", \"source\": \"" + source + "\", \"name\": \"" + name
            + "\", \"targets\": [" + targets.stream().map(t -> "\"" + t + "\"").collect(Collectors.joining(", ")) + "]}");
    }
}
