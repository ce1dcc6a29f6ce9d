import { testKey, testSignerKey } from './accounts.ts'
import type { TestChain } from './chain.ts'

/** Returns environment variables of a production installation with this database and chain. */
export function productionEnv(
  databaseUrl: string,
  { url, settings: { payment, anchor } }: TestChain,
): Record<string, string> {
  return {
    PUBLIC_URL: 'https://alerts.example.com',
    DATABASE_URL: databaseUrl,
    CHAIN_ID: String(payment.chainId),
    PAYMENT_RPC_URL: url,
    TOKEN_ADDRESS: payment.token,
    TREASURY_ADDRESS: payment.treasury,
    ANCHOR_CHAIN_ID: String(anchor.chainId),
    ANCHOR_RPC_URL: url,
    ANCHOR_CONTRACT: anchor.contract,
    ANCHOR_KEY: anchor.key,
    SIGNER_KEY: testSignerKey,
    APP_SECRET: testKey(0x5e),
    SMTP_URL: 'smtp://127.0.0.1:9',
    MAIL_FROM: 'Tocsin <alerts@example.com>',
  }
}
