//! Declarations of Go.

use tree_sitter::Node;

use super::{Outliner, Scope, SymbolKind, child_of_kind, named_children, names};

/// Notes the declarations of a file, an ERROR in it, or a parenthesised group.
pub(super) fn declarations(outliner: &mut Outliner<'_>, node: Node<'_>, scope: &Scope) {
    for child in named_children(node) {
        // Outside parentheses the keyword belongs to it.
        let whole = if is_single(node) { node } else { child };
        match child.kind() {
            "function_declaration" => named(outliner, SymbolKind::Function, scope, child, child),
            "method_declaration" => method(outliner, child),
            "const_spec" => named(outliner, SymbolKind::Constant, scope, child, whole),
            "var_spec" => named(outliner, SymbolKind::Variable, scope, child, whole),
            "type_spec" | "type_alias" => type_spec(outliner, child, whole, scope),
            "const_declaration" | "var_declaration" | "var_spec_list" | "type_declaration" | "ERROR" => {
                if let Some(below) = scope.below() {
                    declarations(outliner, child, &below);
                }
            }
            _ => {}
        }
    }
}

/// Whether `node` declares one thing behind its keyword, not a group in parentheses.
fn is_single(node: Node<'_>) -> bool {
    matches!(node.kind(), "const_declaration" | "var_declaration" | "type_declaration")
        && child_of_kind(node, &["(", "var_spec_list"]).is_none()
}

fn named(outliner: &mut Outliner<'_>, kind: SymbolKind, scope: &Scope, node: Node<'_>, whole: Node<'_>) {
    for name in names(node) {
        outliner.add(kind, scope, name, whole);
    }
}

fn method(outliner: &mut Outliner<'_>, node: Node<'_>) {
    let receiver = node.child_by_field_name("receiver").map(|receiver| outliner.text_of(receiver));
    let container = receiver.and_then(receiver_type);
    for name in names(node) {
        outliner.add_in(SymbolKind::Method, container.clone(), name, node);
    }
}

/// The bare type name in `(s *Store[K, V])`.
fn receiver_type(receiver: &str) -> Option<String> {
    let bare = receiver.split('[').next()?.trim_matches(['(', ')', ' ', '\t']);
    let name = bare.rsplit([' ', '\t', '*']).next()?;
    (!name.is_empty()).then(|| name.to_owned())
}

fn type_spec(outliner: &mut Outliner<'_>, node: Node<'_>, whole: Node<'_>, scope: &Scope) {
    let (Some(name), Some(of)) = (node.child_by_field_name("name"), node.child_by_field_name("type")) else { return };
    let kind = match of.kind() {
        "struct_type" => SymbolKind::Struct,
        "interface_type" => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    outliner.add(kind, scope, name, whole);
    let Some(inner) = scope.inside(outliner.text_of(name)) else { return };
    match kind {
        SymbolKind::Struct => {
            let fields = child_of_kind(of, &["field_declaration_list"]);
            for field in fields.map(named_children).unwrap_or_default() {
                named(outliner, SymbolKind::Field, &inner, field, field);
            }
        }
        SymbolKind::Interface => {
            for element in named_children(of).into_iter().filter(|element| element.kind() == "method_elem") {
                named(outliner, SymbolKind::Method, &inner, element, element);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::receiver_type;

    #[test]
    fn a_receiver_names_its_type() {
        for receiver in ["(s *Store)", "(Store)", "(s Store[K, V])", "( *Store )", "(s\t*Store[T])"] {
            assert_eq!(receiver_type(receiver).as_deref(), Some("Store"), "{receiver}");
        }
        assert_eq!(receiver_type("()"), None);
    }
}
