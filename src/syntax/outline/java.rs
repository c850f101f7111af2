//! Declarations of Java.

use tree_sitter::Node;

use super::{Outliner, Scope, SymbolKind, child_of_kind, named_children, names};

/// Notes the declarations of a file, a type's body, or an ERROR in them.
pub(super) fn declarations(outliner: &mut Outliner<'_>, node: Node<'_>, scope: &Scope) {
    for child in named_children(node) {
        match child.kind() {
            "class_declaration" | "record_declaration" => type_declaration(outliner, SymbolKind::Class, child, scope),
            "interface_declaration" | "annotation_type_declaration" => {
                type_declaration(outliner, SymbolKind::Interface, child, scope);
            }
            "enum_declaration" => type_declaration(outliner, SymbolKind::Enum, child, scope),
            "method_declaration" | "annotation_type_element_declaration" => {
                named(outliner, SymbolKind::Method, child, child, scope);
            }
            "constructor_declaration" | "compact_constructor_declaration" => {
                named(outliner, SymbolKind::Constructor, child, child, scope);
            }
            "enum_constant" => named(outliner, SymbolKind::Member, child, child, scope),
            "field_declaration" | "constant_declaration" => fields(outliner, child, scope),
            "enum_body_declarations" | "ERROR" => {
                if let Some(below) = scope.below() {
                    declarations(outliner, child, &below);
                }
            }
            _ => {}
        }
    }
}

fn named(outliner: &mut Outliner<'_>, kind: SymbolKind, node: Node<'_>, whole: Node<'_>, scope: &Scope) {
    for name in names(node) {
        outliner.add(kind, scope, name, whole);
    }
}

fn type_declaration(outliner: &mut Outliner<'_>, kind: SymbolKind, node: Node<'_>, scope: &Scope) {
    let Some(name) = node.child_by_field_name("name") else { return };
    outliner.add(kind, scope, name, node);
    let Some(inner) = scope.inside(outliner.text_of(name)) else { return };
    // The components of a record are its fields.
    for component in node.child_by_field_name("parameters").map(named_children).unwrap_or_default() {
        named(outliner, SymbolKind::Field, component, component, &inner);
    }
    if let Some(body) = node.child_by_field_name("body") {
        declarations(outliner, body, &inner);
    }
}

fn fields(outliner: &mut Outliner<'_>, node: Node<'_>, scope: &Scope) {
    let modifiers = child_of_kind(node, &["modifiers"]);
    let has = |word| modifiers.is_some_and(|modifiers| child_of_kind(modifiers, &[word]).is_some());
    let constant = node.kind() == "constant_declaration" || (has("static") && has("final"));
    let kind = if constant { SymbolKind::Constant } else { SymbolKind::Field };
    for declarator in named_children(node).into_iter().filter(|child| child.kind() == "variable_declarator") {
        named(outliner, kind, declarator, node, scope);
    }
}
