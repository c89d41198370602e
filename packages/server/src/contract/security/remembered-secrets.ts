import { hash, randomBytes } from 'node:crypto';

/**
 * Remembers the last secrets that were accepted, so that a flood of wrong ones does not shut out those who have a right one. It
 * holds digests under a key of its own, some 100 bytes each, and not the secrets.
 */
export class RememberedSecrets {
  private readonly digests = new Set<string>();
  private readonly key = randomBytes(32).toString('hex');

  /** @param most how many are remembered */
  constructor(private readonly most = 10_000) {}

  add(secret: string): void {
    this.keep(this.digestOf(secret));
    for (const oldest of this.digests) {
      if (this.digests.size <= this.most) break;
      this.digests.delete(oldest);
    }
  }

  /** Whether a secret is remembered. The one that was asked for last is forgotten last. */
  has(secret: string): boolean {
    const digest = this.digestOf(secret);
    if (!this.digests.has(digest)) return false;
    this.keep(digest);
    return true;
  }

  /** Forgets a secret, which is no longer accepted. */
  delete(secret: string): void {
    this.digests.delete(this.digestOf(secret));
  }

  private keep(digest: string): void {
    this.digests.delete(digest);
    this.digests.add(digest);
  }

  /** Not an HMAC, which takes some thirty times as long: nobody gets a digest whose secret could be lengthened. */
  private digestOf(secret: string): string {
    return hash('sha256', this.key + secret, 'base64');
  }
}
