import { rm } from 'node:fs/promises'
import { expect, test } from '@playwright/test'
import { findFreePort } from '@tocsin/server/embedded/free-port.ts'
import { createTestClient, type TestClient } from '@tocsin/testkit'
import { crashWhileWorking } from '../scripts/crash-proof/crash.ts'
import { emptyLedger, findLosses } from '../scripts/crash-proof/ledger.ts'
import { createVictim, type Target, type Victim } from '../scripts/crash-proof/victim.ts'
import { copyPreparedData } from './product.ts'

const ledger = emptyLedger()
let dataDir: string
let victim: Victim
let admin: TestClient

test.beforeAll(async () => {
  dataDir = await copyPreparedData()
  victim = createVictim({ dataDir, port: await findFreePort(), chainPort: await findFreePort() })
  await victim.start()
  admin = createTestClient(victim.url)
  await admin.call('login', { body: victim.admin })
})
test.afterAll(async () => {
  await victim?.stop()
  await rm(dataDir, { recursive: true })
})

const crashes: [Target, number][] = [
  ['postgres', 3_000],
  ['anvil', 2_000],
  ['everything', 3_000],
]
for (const [round, [target, afterMs]] of crashes.entries()) {
  test(`a kill -9 of ${target} loses no alert, subscription or transaction that was acknowledged`, async () => {
    const isTime = () => ledger.purchases.length > 0
    await crashWhileWorking(victim, admin, ledger, { round, target, afterMs, isTime })
    expect(await findLosses(ledger, admin, victim.chainUrl)).toEqual([])
    expect(ledger.alerts.length).toBeGreaterThan(round)
    expect(ledger.purchases.length).toBeGreaterThan(0)
  })
}
