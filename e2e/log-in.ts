import type { Page } from '@playwright/test'

/** Fills in and submits the sign-in form of `/auth` or `/admin-auth`. */
export async function logIn(page: Page, { email, password }: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: /^Log in( as admin)?$/ }).click()
}
