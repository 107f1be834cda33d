//! The tool review_inbox.

use limbic_core::{
    Error, Result, mutations,
    mutations::memories::Rejected,
    store::{origins::Kind, project_folders},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{context::Context, tool::tool};

tool! {
    /// Accept or reject memories of the inbox, and trust or distrust origins. accept confirms memories; reject deletes
    /// those that the origin created, and restores those that it only changed to their state before. trust confirms all
    /// memories of an origin, present and future, or a folder as that of its project. All or nothing.
    name: "review_inbox",
    title: "Review the inbox",
    toolset: Explorer,
    access: Destroy,
    idempotent: true,
    example: r#"{"distrust": ["client:example"]}"#,
    handler: review_inbox,
}

/// Arguments.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Input {
    /// Ids of memories to confirm.
    #[schemars(length(max = 1000), inner(length(min = 1, max = 200)))]
    pub accept: Vec<String>,
    /// Ids of memories to reject.
    #[schemars(length(max = 1000), inner(length(min = 1, max = 200)))]
    pub reject: Vec<String>,
    /// Labels of origins to trust, such as client:NAME, hook:PROJECT or import:FILE#ID, or of folders to confirm,
    /// project:NAME#DIGEST.
    #[schemars(length(max = 100), inner(length(min = 1, max = 500)))]
    pub trust: Vec<String>,
    /// Labels of origins or folders to distrust.
    #[schemars(length(max = 100), inner(length(min = 1, max = 500)))]
    pub distrust: Vec<String>,
    /// Reason for the audit log.
    #[schemars(length(max = 1000))]
    pub reason: Option<String>,
}

/// Answer.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Output {
    /// Ids confirmed.
    pub accepted: Vec<String>,
    /// Ids deleted.
    pub deleted: Vec<String>,
    /// Ids restored to the state before the change. They wait again if another origin had changed them before.
    pub restored: Vec<String>,
    /// Ids of memories whose state before was not kept: they stay as changed, as unpinned, cold facts in a
    /// low tier, without a subject that hooks select.
    pub demoted: Vec<String>,
    /// Labels trusted.
    pub trusted: Vec<String>,
    /// Labels distrusted.
    pub distrusted: Vec<String>,
}

fn review_inbox(context: &mut Context<'_>, mut input: Input) -> Result<Output> {
    let writer = context.memory.session().writer();
    let reason = context.storable(input.reason.take());
    let actor = writer.actor(reason.as_deref());
    context.memory.write(|tx| {
        let mut output = Output::default();
        // Before origins are trusted, because only what waits can be rejected.
        for id in input.accept {
            if mutations::memories::accept(tx, &id, actor)? {
                output.accepted.push(id);
            }
        }
        for id in input.reject {
            match mutations::memories::reject(tx, &id, actor)? {
                Rejected::Deleted => output.deleted.push(id),
                Rejected::Restored => output.restored.push(id),
                Rejected::Demoted => output.demoted.push(id),
                Rejected::NotWaiting => {}
            }
        }
        for label in input.trust {
            require_label("trust", &label)?;
            if mutations::memories::set_trusted(tx, &label, true, actor)? {
                output.trusted.push(label);
            }
        }
        for label in input.distrust {
            require_label("distrust", &label)?;
            if mutations::memories::set_trusted(tx, &label, false, actor)? {
                output.distrusted.push(label);
            }
        }
        Ok(output)
    })
}

/// Checks that a text has the form of a label. Its origin need not have written yet.
fn require_label(argument: &str, label: &str) -> Result<()> {
    let kind = label.split_once(':').map_or(label, |(kind, _)| kind);
    if Kind::of_name(kind).is_some() || project_folders::is_label(label) {
        return Ok(());
    }
    Err(Error::InvalidArgument {
        message: format!(
            "{argument} must hold labels such as client:NAME, hook:PROJECT or project:NAME#DIGEST, but got {label:?}"
        ),
        hint: Some("explore_inbox lists the labels of origins whose memories wait, and of folders".into()),
    })
}
