//! Declarations of Zig.

use tree_sitter::Node;

use super::{Outliner, Scope, SymbolKind, child_of_kind, named_children};

/// The nodes that declare a container or an error set.
const CONTAINERS: [&str; 5] =
    ["struct_declaration", "enum_declaration", "union_declaration", "opaque_declaration", "error_set_declaration"];

/// Notes the declarations of a file, a container, or an ERROR in them.
pub(super) fn declarations(outliner: &mut Outliner<'_>, node: Node<'_>, scope: &Scope) {
    for child in named_children(node) {
        match child.kind() {
            "function_declaration" => function(outliner, child, scope),
            "variable_declaration" => variable(outliner, child, scope),
            "test_declaration" => test(outliner, child, scope),
            "container_field" => field(outliner, child, node, scope),
            "identifier" if node.kind() == "error_set_declaration" => {
                outliner.add(SymbolKind::Member, scope, child, child);
            }
            "ERROR" => {
                if let Some(below) = scope.below() {
                    declarations(outliner, child, &below);
                }
            }
            _ => {}
        }
    }
}

fn function(outliner: &mut Outliner<'_>, node: Node<'_>, scope: &Scope) {
    let Some(name) = node.child_by_field_name("name") else { return };
    let kind = if scope.container.is_some() { SymbolKind::Method } else { SymbolKind::Function };
    outliner.add(kind, scope, name, node);
    if let (Some(container), Some(inner)) = (returned_container(node), scope.inside(outliner.text_of(name))) {
        declarations(outliner, container, &inner);
    }
}

/// The container that a function makes (`fn List(comptime T: type) type { return struct { … }; }`).
fn returned_container(function: Node<'_>) -> Option<Node<'_>> {
    let body = function.child_by_field_name("body")?;
    let statements = named_children(body).into_iter().filter(|statement| statement.kind() == "expression_statement");
    let returns = statements.filter_map(|statement| child_of_kind(statement, &["return_expression"]));
    returns.filter_map(|returned| child_of_kind(returned, &CONTAINERS)).next_back()
}

fn variable(outliner: &mut Outliner<'_>, node: Node<'_>, scope: &Scope) {
    let Some(name) = child_of_kind(node, &["identifier"]) else { return };
    let Some(container) = child_of_kind(node, &CONTAINERS) else {
        let constant = child_of_kind(node, &["const"]).is_some();
        let kind = if constant { SymbolKind::Constant } else { SymbolKind::Variable };
        return outliner.add(kind, scope, name, node);
    };
    let kind = match container.kind() {
        "struct_declaration" => SymbolKind::Struct,
        "enum_declaration" => SymbolKind::Enum,
        "union_declaration" => SymbolKind::Union,
        "error_set_declaration" => SymbolKind::ErrorSet,
        _ => SymbolKind::Type,
    };
    outliner.add(kind, scope, name, node);
    if let Some(inner) = scope.inside(outliner.text_of(name)) {
        declarations(outliner, container, &inner);
    }
}

fn test(outliner: &mut Outliner<'_>, node: Node<'_>, scope: &Scope) {
    let string = child_of_kind(node, &["string"]).and_then(|string| child_of_kind(string, &["string_content"]));
    let Some(name) = string.or_else(|| child_of_kind(node, &["identifier"])).or_else(|| node.child(0)) else { return };
    outliner.add(SymbolKind::Test, scope, name, node);
}

fn field(outliner: &mut Outliner<'_>, node: Node<'_>, container: Node<'_>, scope: &Scope) {
    // A tuple's field has a type in the name's place.
    let Some(name) = node.child_by_field_name("name").filter(|name| name.kind() == "identifier") else { return };
    let kind = if container.kind() == "enum_declaration" { SymbolKind::Member } else { SymbolKind::Field };
    outliner.add(kind, scope, name, node);
}
