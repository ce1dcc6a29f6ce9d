/** Size and SHA-256 of /tocsin-verify.mjs, set by scripts/build.ts. Undefined without a build. */
declare const TOCSIN_VERIFIER: { sha256: string; bytes: number } | undefined

/** The command-line verifier that this site serves. Null if it serves none. */
export const verifierFile = typeof TOCSIN_VERIFIER === 'undefined' ? null : TOCSIN_VERIFIER

export const verifierName = 'tocsin-verify.mjs'
