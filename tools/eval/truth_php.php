<?php
// What PHP's own tokenizer and composer's rules make of the names in a repository: which file of it defines each.
//
//     php tools/eval/truth_php.php REPOSITORY > truth.jsonl
//
// A line is one `use` of a class, function or constant, or one required file (kind "import"), or one class that a file names without
// importing it (kind "use"). A name is looked for where the PSR-4 and PSR-0 rules of the nearest composer.json
// say, and if no file is there, among all classes and functions the tokenizer finds defined.

ini_set('memory_limit', '2G');
$root = realpath($argv[1]);
$files = array_filter(explode("\0", shell_exec('git -C ' . escapeshellarg($root) . ' ls-files -z')));
$sources = array_values(array_filter($files, fn($f) => str_ends_with($f, '.php') && !is_link("$root/$f")));
$manifests = [];
foreach ($files as $file) {
    if (basename($file) === 'composer.json') {
        $manifests[dirname($file) === '.' ? '' : dirname($file) . '/'] = json_decode(file_get_contents("$root/$file"), true) ?: [];
    }
}

function parse(string $path): array
{
    $tokens = @token_get_all(file_get_contents($path));
    $tokens = array_values(array_filter($tokens, fn($t) => !is_array($t) || !in_array($t[0], [T_WHITESPACE, T_COMMENT, T_DOC_COMMENT])));
    $names = [T_STRING, T_NAME_QUALIFIED, T_NAME_FULLY_QUALIFIED, T_NAME_RELATIVE];
    [$space, $depth, $defined, $imports, $used, $class, $bound, $called, $required] = ['', 0, [], [], [], [], [], [], []];
    $id = fn($i) => is_array($tokens[$i] ?? null) ? $tokens[$i][0] : ($tokens[$i] ?? null);
    for ($i = 0; $i < count($tokens); $i++) {
        $t = $id($i);
        if ($t === '{' || $t === T_CURLY_OPEN || $t === T_DOLLAR_OPEN_CURLY_BRACES) { $depth++; continue; }
        if ($t === '}') { $depth--; if ($class && end($class) === $depth) array_pop($class); continue; }
        if ($t === T_NAMESPACE && in_array($id($i + 1), [T_STRING, T_NAME_QUALIFIED])) { $space = $tokens[++$i][1]; continue; }
        if (in_array($t, [T_CLASS, T_INTERFACE, T_TRAIT, T_ENUM]) && $id($i - 1) !== T_DOUBLE_COLON) {
            if ($id($i + 1) === T_STRING) { $defined[] = ltrim("$space\\" . $tokens[++$i][1], '\\'); }
            $class[] = $depth; continue;
        }
        if ($t === T_FUNCTION && !$class && $id($i + 1) === T_STRING) { $defined[] = ltrim("$space\\" . $tokens[++$i][1], '\\') . '()'; continue; }
        if ($t === T_FUNCTION || $t === T_CONST || $t === T_FN) { if ($id($i + 1) === T_STRING) $i++; continue; }
        if ($t === T_USE && !$class && $id($i + 1) !== '(') {
            $kind = ''; $prefix = ''; $alias = null; $name = null;
            for ($i++; $i < count($tokens); $i++) {
                $t = $id($i);
                if ($t === T_FUNCTION) $kind = '()';
                elseif ($t === T_CONST) $kind = 'const';
                elseif ($t === T_AS) $alias = $tokens[++$i][1];
                elseif ($t === '{') { $prefix = rtrim($name, '\\') . '\\'; $name = null; }
                elseif ($t === T_NS_SEPARATOR) continue;
                elseif (in_array($t, $names)) $name = ltrim($tokens[$i][1], '\\');
                elseif ($t === ',' || $t === ';' || $t === '}') {
                    if ($name !== null) {
                        $full = $prefix . $name;
                        $imports[] = [$full, $kind];
                        if ($kind === '()') $called[$alias ?? basename(str_replace('\\', '/', $full))] = true;
                        if ($kind === '') $bound[strtolower($alias ?? basename(str_replace('\\', '/', $full)))] = $full;
                    }
                    $name = $alias = null;
                    if ($t === ';') break;
                }
            }
            continue;
        }
        if (in_array($t, [T_REQUIRE, T_REQUIRE_ONCE, T_INCLUDE, T_INCLUDE_ONCE])) {
            $said = '';
            for ($j = $i + 1; $j < count($tokens) && $id($j) !== ';'; $j++) $said .= is_array($tokens[$j]) ? $tokens[$j][1] : $tokens[$j];
            $known = ['__DIR__' => var_export(dirname($path), true), '__FILE__' => var_export($path, true)];
            if (preg_match('/^[(]*(\'[^\']*\'|"[^"$]*"|__DIR__|__FILE__|dirname|[().,0-9])+$/', $said)) {
                try { $place = realpath((string) eval('return ' . strtr($said, $known) . ';')); } catch (Throwable) { $place = false; }
                if ($place) $required[] = $place;
            }
            continue;
        }
        if (!in_array($t, $names)) continue;
        if (in_array($id($i - 1), [T_OBJECT_OPERATOR, T_NULLSAFE_OBJECT_OPERATOR, T_DOUBLE_COLON, T_GOTO])) continue;
        $word = $tokens[$i][1];
        if ($id($i + 1) === '(' && $id($i - 1) !== T_NEW && $id($i - 1) !== T_ATTRIBUTE) { // a call: here, or outside any namespace
            if ($t === T_STRING && !isset($called[$word])) $used[] = "$space\\$word()|$word()";
            if ($t === T_NAME_FULLY_QUALIFIED) $used[] = ltrim($word, '\\') . '()';
            continue;
        }
        if ($id($i + 1) === ':' && $id($i + 2) !== ':' && in_array($id($i - 1), ['(', ','])) continue; // a named argument
        if ($t === T_NAME_FULLY_QUALIFIED) $used[] = ltrim($word, '\\');
        elseif ($t === T_NAME_RELATIVE) $used[] = ltrim("$space\\" . substr($word, 10), '\\');
        else {
            $head = strtok($word, '\\');
            $rest = substr($word, strlen($head));
            if (isset($bound[strtolower($head)])) { if ($rest) $used[] = $bound[strtolower($head)] . $rest; }
            else $used[] = ltrim("$space\\$word", '\\');
        }
    }
    return [$defined, $imports, array_unique($used), array_unique($required)];
}

$parsed = $where = [];
foreach ($sources as $file) {
    $parsed[$file] = parse("$root/$file");
    foreach ($parsed[$file][0] as $name) $where[$name][] = $file;
}

function composers(string $source, array $manifests, string $class): array
{
    for ($place = dirname("$source"); ; $place = dirname($place)) {
        $key = $place === '.' ? '' : "$place/";
        if (isset($manifests[$key])) break;
        if ($key === '') return [];
    }
    $found = [];
    foreach (['autoload', 'autoload-dev'] as $section) {
        foreach ($manifests[$key][$section]['psr-4'] ?? [] as $prefix => $places) {
            if ($prefix === '' || str_starts_with($class, $prefix)) {
                foreach ((array) $places as $p) {
                    $p = trim($p, '/');
                    $found[] = $key . ($p === '' || $p === '.' ? '' : "$p/") . str_replace('\\', '/', substr($class, strlen($prefix))) . '.php';
                }
            }
        }
    }
    return $found;
}

foreach ($parsed as $source => [$defined, $imports, $used, $required]) {
    foreach ($required as $path) {
        $place = substr($path, strlen($root) + 1);
        if (in_array($place, $files) && $place !== $source) {
            echo json_encode(['kind' => 'import', 'source' => $source, 'name' => 'require', 'targets' => [$place]], JSON_UNESCAPED_SLASHES), "\n";
        }
    }
    $rows = array_map(fn($row) => ['import', ...$row], $imports);
    foreach ($used as $name) $rows[] = ['use', $name, ''];
    $seen = [];
    foreach ($rows as [$kind, $name, $what]) {
        if (str_contains($name, '|')) {
            [$near, $far] = explode('|', ltrim($name, '\\'));
            $name = isset($where[$near]) ? $near : $far;
        }
        $candidates = $where[$what === '()' ? "$name()" : $name] ?? [];
        $loaded = array_values(array_intersect(composers($source, $manifests, $name), $candidates));
        $targets = $loaded ? [$loaded[0]] : $candidates;
        if (!$targets || in_array($source, $targets) || isset($seen[$name])) continue;
        $seen[$name] = true;
        echo json_encode(['kind' => $kind, 'source' => $source, 'name' => $name, 'targets' => $targets], JSON_UNESCAPED_SLASHES), "\n";
    }
}
