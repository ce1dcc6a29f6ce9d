import { rm } from 'node:fs/promises'
import { expect, test } from '@playwright/test'
import { findFreePort } from '@tocsin/server/http/free-port.ts'
import { createTestClient, type TestClient } from '@tocsin/testkit'
import { crashWhileWorking } from '../fault-tests/crash/kill.ts'
import { createEmptyLedger, findLosses } from '../fault-tests/crash/ledger.ts'
import { type Component, createTarget, type Target } from '../fault-tests/crash/target.ts'
import { copyPreparedData } from './product.ts'

const ledger = createEmptyLedger()
let dataDir: string
let target: Target
let admin: TestClient

test.beforeAll(async () => {
  dataDir = await copyPreparedData()
  target = createTarget({ dataDir, port: await findFreePort(), chainPort: await findFreePort() })
  await target.start()
  admin = createTestClient(target.url)
  await admin.call('login', { body: target.admin })
})
test.afterAll(async () => {
  await target?.stop()
  await rm(dataDir, { recursive: true })
})

const crashes: [Component, number][] = [
  ['postgres', 3_000],
  ['anvil', 2_000],
  ['everything', 3_000],
]
for (const [round, [component, afterMs]] of crashes.entries()) {
  test(`crash recovery: no acknowledged alert, subscription or transaction is lost when ${component} is killed with SIGKILL`, async () => {
    const canCrash = () => ledger.purchases.length > 0 && ledger.alerts.length > round
    await crashWhileWorking(target, admin, ledger, { round, component, afterMs, isTime: canCrash })
    expect(await findLosses(ledger, admin, target.chainUrl)).toEqual([])
    expect(ledger.alerts.length).toBeGreaterThan(round)
    expect(ledger.purchases.length).toBeGreaterThan(0)
  })
}
