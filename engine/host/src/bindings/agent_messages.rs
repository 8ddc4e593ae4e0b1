//! The messages between wrapper and agent, as objects of the script.

use rquickjs::{BigInt, Ctx, Object, Result};
use svc_network::agent::messages::{
    DeliveryMethod, EnforcementTier, Hello, Protection, Register, RegistrationRequest,
    RegistrationResponse, SecretVersion, Tier, Versions, registration_request,
    registration_response,
};

use super::errors::throw_type;

/// `AgentRequest` of the script.
pub fn request_of<'js>(ctx: &Ctx<'js>, given: &Object<'js>) -> Result<RegistrationRequest> {
    let message = match given.get::<_, String>("kind")?.as_str() {
        "hello" => registration_request::Message::Hello(hello_of(given)?),
        "register" => registration_request::Message::Register(register_of(ctx, given)?),
        "versions" => registration_request::Message::Versions(versions_of(given)?),
        _ => {
            return Err(throw_type(ctx, "a message to the agent is a hello, register or versions"));
        }
    };
    Ok(RegistrationRequest { message: Some(message) })
}

fn hello_of(given: &Object<'_>) -> Result<Hello> {
    Ok(Hello {
        wrapper_version: given.get("wrapperVersion")?,
        pod_uid: given.get("podUid")?,
        container_name: given.get("containerName")?,
        pod_name: given.get("podName")?,
        pod_namespace: given.get("podNamespace")?,
        token_path: given.get("tokenPath")?,
        token_device: given.get("tokenDevice")?,
        token_inode: number_of(given, "tokenInode")?,
    })
}

fn register_of<'js>(ctx: &Ctx<'js>, given: &Object<'js>) -> Result<Register> {
    let protections = [
        (Protection::MemfdSecret, given.get("memfdSecret")?),
        (Protection::Mlock, given.get("memoryLocked")?),
    ];
    let protections = protections.into_iter().filter(|(_, has)| *has);
    Ok(Register {
        request: number_of(given, "request")?,
        pid: given.get("pid")?,
        key_count: given.get("keyCount")?,
        delivery: delivery_of(ctx, given.get::<_, Option<String>>("delivery")?.as_deref())?.into(),
        protections: protections.map(|(protection, _)| protection.into()).collect(),
        bare_environment: number_of(given, "bareEnvironment")?,
    })
}

fn versions_of(given: &Object<'_>) -> Result<Versions> {
    let secrets = given.get::<_, Vec<Object<'_>>>("secrets")?;
    let version_of = |secret: &Object<'_>| {
        Ok(SecretVersion {
            path: secret.get("path")?,
            version: number_of(secret, "version")?,
            since_ms: number_of(secret, "sinceMs")?,
        })
    };
    Ok(Versions { secrets: secrets.iter().map(version_of).collect::<Result<_>>()? })
}

/// The script uses the protocol's names, in small letters.
fn delivery_of(ctx: &Ctx<'_>, name: Option<&str>) -> Result<DeliveryMethod> {
    let Some(name) = name else { return Ok(DeliveryMethod::Unspecified) };
    DeliveryMethod::from_str_name(&format!("DELIVERY_METHOD_{}", name.to_uppercase()))
        .filter(|method| *method != DeliveryMethod::Unspecified)
        .ok_or_else(|| throw_type(ctx, "there is no such delivery"))
}

/// As `BigInt.asUintN(64, …)` has it.
#[allow(clippy::cast_sign_loss)]
fn number_of(given: &Object<'_>, name: &str) -> Result<u64> {
    Ok(given.get::<_, BigInt<'_>>(name)?.to_i64()? as u64)
}

/// `AgentAnswer` of the script.
pub fn answer_object<'js>(ctx: &Ctx<'js>, answer: &RegistrationResponse) -> Result<Object<'js>> {
    let object = Object::new(ctx.clone())?;
    let number = |number| BigInt::from_u64(ctx.clone(), number);
    match &answer.message {
        Some(registration_response::Message::Welcome(welcome)) => {
            object.set("kind", "welcome")?;
            object.set("version", welcome.agent_version.as_str())?;
            object.set("tier", tier_name(welcome.tier.as_ref()))?;
            object.set("tokenUnwatched", welcome.token_unwatched.as_str())?;
        }
        Some(registration_response::Message::Registered(registered)) => {
            object.set("kind", "registered")?;
            object.set("request", number(registered.request)?)?;
            object.set("registration", number(registered.registration)?)?;
        }
        Some(registration_response::Message::Refused(refused)) => {
            object.set("kind", "refused")?;
            object.set("request", number(refused.request)?)?;
            object.set("code", refused.code.as_str())?;
            object.set("message", refused.message.as_str())?;
            object.set("hint", refused.hint.as_str())?;
        }
        Some(registration_response::Message::Tier(tier)) => {
            object.set("kind", "tier")?;
            object.set("tier", tier_name(Some(tier)))?;
        }
        None => object.set("kind", "other")?,
    }
    Ok(object)
}

fn tier_name(tier: Option<&Tier>) -> &'static str {
    match tier.map(Tier::enforcement).unwrap_or_default() {
        EnforcementTier::Unspecified => "unknown",
        EnforcementTier::None => "none",
        EnforcementTier::Tracing => "tracing",
        EnforcementTier::Detect => "detect",
        EnforcementTier::Kill => "kill",
        EnforcementTier::Enforce => "enforce",
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use registration_response::Message::{Refused, Registered, Tier as TierMessage, Welcome};
    use rquickjs::{CatchResultExt, Context, Function, Runtime};
    use svc_network::agent::messages;

    use super::*;

    fn in_a_script(test: impl FnOnce(&Ctx<'_>)) {
        let runtime = Runtime::new().unwrap();
        Context::full(&runtime).unwrap().with(|ctx| test(&ctx));
    }

    /// Reads an object that the script writes so.
    fn read(ctx: &Ctx<'_>, written: &str) -> std::result::Result<RegistrationRequest, String> {
        let object: Object<'_> = ctx.eval(format!("({written})")).unwrap();
        request_of(ctx, &object).catch(ctx).map_err(|error| error.to_string())
    }

    #[test]
    fn reads_a_hello() {
        in_a_script(|ctx| {
            let written = "{ kind: 'hello', wrapperVersion: '1.2', podUid: '0f3b',
                containerName: 'päy', podName: 'web-0', podNamespace: 'shop',
                tokenPath: '/run/token', tokenDevice: 57, tokenInode: 9007199254740993n }";
            let hello = Hello {
                wrapper_version: "1.2".to_owned(),
                pod_uid: "0f3b".to_owned(),
                container_name: "päy".to_owned(),
                pod_name: "web-0".to_owned(),
                pod_namespace: "shop".to_owned(),
                token_path: "/run/token".to_owned(),
                token_device: 57,
                token_inode: 9_007_199_254_740_993,
            };
            let message = Some(registration_request::Message::Hello(hello));
            assert_eq!(read(ctx, written), Ok(RegistrationRequest { message }));
        });
    }

    #[test]
    fn reads_versions() {
        let secret = |path: &str, version, since_ms| SecretVersion {
            path: path.to_owned(),
            version,
            since_ms,
        };
        in_a_script(|ctx| {
            for (written, secrets) in [
                ("[]", vec![]),
                (
                    "[{ path: 'secret/data/päy', version: 7n, sinceMs: 1764324000000n },
                      { path: '2', version: 2n ** 53n, sinceMs: 0n }]",
                    vec![secret("secret/data/päy", 7, 1_764_324_000_000), secret("2", 1 << 53, 0)],
                ),
            ] {
                let message = Some(registration_request::Message::Versions(Versions { secrets }));
                assert_eq!(
                    read(ctx, &format!("{{ kind: 'versions', secrets: {written} }}")),
                    Ok(RegistrationRequest { message }),
                    "{written}"
                );
            }
        });
    }

    /// A registration of a program with 3 keys, and the members that a test is about.
    fn register(about: &str) -> String {
        let usual = "kind: 'register', request: 0n, pid: 7, keyCount: 3, delivery: undefined,
            memfdSecret: false, memoryLocked: false, bareEnvironment: 0n";
        format!("{{ {usual}, {about} }}")
    }

    #[test]
    fn reads_every_field_of_a_register() {
        let usual = Register { pid: 7, key_count: 3, ..Register::default() };
        let delivery =
            |delivery: DeliveryMethod| Register { delivery: delivery.into(), ..usual.clone() };
        let protected = |protections: &[Protection]| Register {
            protections: protections.iter().map(|protection| (*protection).into()).collect(),
            ..usual.clone()
        };
        let rows = [
            ("", usual.clone()),
            ("request: 1n", Register { request: 1, ..usual.clone() }),
            ("request: 2n ** 64n - 1n", Register { request: u64::MAX, ..usual.clone() }),
            ("pid: 4194303", Register { pid: 4_194_303, ..usual.clone() }),
            ("keyCount: 300", Register { key_count: 300, ..usual.clone() }),
            ("delivery: 'library'", delivery(DeliveryMethod::Library)),
            ("delivery: 'inject'", delivery(DeliveryMethod::Inject)),
            ("delivery: 'preload'", delivery(DeliveryMethod::Preload)),
            ("delivery: 'env'", delivery(DeliveryMethod::Env)),
            ("memfdSecret: true", protected(&[Protection::MemfdSecret])),
            ("memoryLocked: true", protected(&[Protection::Mlock])),
            (
                "memfdSecret: true, memoryLocked: true",
                protected(&[Protection::MemfdSecret, Protection::Mlock]),
            ),
            ("bareEnvironment: 2n ** 63n", Register { bare_environment: 1 << 63, ..usual.clone() }),
        ];
        in_a_script(|ctx| {
            for (about, expected) in rows {
                let message = Some(registration_request::Message::Register(expected));
                assert_eq!(
                    read(ctx, &register(about)),
                    Ok(RegistrationRequest { message }),
                    "{about}"
                );
            }
        });
    }

    #[test]
    fn refuses_what_is_no_message() {
        in_a_script(|ctx| {
            for (written, expected) in [
                ("{ kind: 'goodbye' }".to_owned(), "a message to the agent is"),
                ("{}".to_owned(), "Error converting"),
                ("{ kind: 'hello' }".to_owned(), "Error converting"),
                ("{ kind: 'versions' }".to_owned(), "Error converting"),
                ("{ kind: 'versions', secrets: [{}] }".to_owned(), "Error converting"),
                (register("delivery: 'post'"), "there is no such delivery"),
                (register("pid: -1"), "Error converting"),
                (register("request: 1"), "Error converting"),
            ] {
                let error = read(ctx, &written).expect_err(&written);
                assert!(error.contains(expected), "{written}: {error}");
            }
        });
    }

    /// The members of the object for a message, with the types that they have in the script.
    fn shown(ctx: &Ctx<'_>, message: &RegistrationResponse) -> String {
        let show: Function<'_> = ctx
            .eval(
                "(object) => Object.entries(object).map(([name, value]) =>
                    name + '=' + (typeof value === 'string' ? value : value + typeof value)
                ).join(' ')",
            )
            .unwrap();
        show.call((answer_object(ctx, message).unwrap(),)).unwrap()
    }

    fn tier(enforcement: i32) -> Tier {
        let capability = messages::Capability {
            mechanism: "lsm".to_owned(),
            available: true,
            ..messages::Capability::default()
        };
        Tier { enforcement, capabilities: vec![capability] }
    }

    fn welcome(tier: Option<Tier>, unwatched: &str) -> registration_response::Message {
        let (agent_version, boot_id) = ("2".to_owned(), "b".to_owned());
        let token_unwatched = unwatched.to_owned();
        Welcome(messages::Welcome { agent_version, boot_id, tier, token_unwatched })
    }

    fn refused(request: u64) -> registration_response::Message {
        Refused(messages::Refused {
            request,
            code: "REGISTRATION_TAKEN".to_owned(),
            message: "taken".to_owned(),
            hint: "nearer".to_owned(),
        })
    }

    #[test]
    fn gives_every_field_of_an_answer() {
        let registered = |request, registration| {
            Registered(messages::Registered { request, registration, pid: 5 })
        };
        let refusal = "code=REGISTRATION_TAKEN message=taken hint=nearer";
        let rows = [
            (welcome(Some(tier(3)), ""), "kind=welcome version=2 tier=detect tokenUnwatched="),
            (welcome(None, ""), "kind=welcome version=2 tier=unknown tokenUnwatched="),
            (
                welcome(None, "no such file"),
                "kind=welcome version=2 tier=unknown tokenUnwatched=no such file",
            ),
            (registered(9, 1), "kind=registered request=9bigint registration=1bigint"),
            (
                registered(u64::MAX, 1 << 63),
                "kind=registered request=18446744073709551615bigint \
                 registration=9223372036854775808bigint",
            ),
            (refused(1), &format!("kind=refused request=1bigint {refusal}")),
            (refused(0), &format!("kind=refused request=0bigint {refusal}")),
            (TierMessage(tier(0)), "kind=tier tier=unknown"),
            (TierMessage(tier(1)), "kind=tier tier=none"),
            (TierMessage(tier(2)), "kind=tier tier=tracing"),
            (TierMessage(tier(3)), "kind=tier tier=detect"),
            (TierMessage(tier(4)), "kind=tier tier=kill"),
            (TierMessage(tier(5)), "kind=tier tier=enforce"),
            (TierMessage(tier(77)), "kind=tier tier=unknown"),
            (TierMessage(tier(-1)), "kind=tier tier=unknown"),
        ];
        in_a_script(|ctx| {
            for (message, expected) in rows {
                assert_eq!(shown(ctx, &RegistrationResponse { message: Some(message) }), expected);
            }
        });
    }

    #[test]
    fn gives_a_message_of_a_later_release_as_other() {
        in_a_script(|ctx| {
            // Field 99 of a RegistrationResponse, of one byte; and no field at all.
            for bytes in [&[0x9a, 0x06, 0x01, 0x01][..], &[]] {
                let message = RegistrationResponse::decode(bytes).unwrap();
                assert_eq!(shown(ctx, &message), "kind=other");
            }
        });
    }
}
