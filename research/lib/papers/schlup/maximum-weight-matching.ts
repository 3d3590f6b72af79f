/** An edge of an undirected graph; its weight is a whole number. */
export type WeightedEdge = readonly [from: number, to: number, weight: number];

export interface WeightedMatching {
  /** For each vertex the vertex it is matched with, or −1. */
  readonly mates: Int32Array;
  /** The sum of the weights of the matched edges. */
  readonly weight: number;
  /**
   * The value of the dual solution found along the way. No matching weighs more (weak duality), so
   * `weight === bound` proves that this one is best. The caller may check it; it always holds.
   */
  readonly bound: number;
  /**
   * What the dual solution pays for an edge that was not in the graph, less its weight; at least its sign is
   * right. From 0 up, the matching and its proof stay as they are when the edge is added; below 0 solve again
   * with it.
   */
  slack(edge: WeightedEdge): number;
}

/**
 * A matching of greatest total weight in a general graph, by Edmonds' primal-dual blossom algorithm
 * ("Maximum matching and a polyhedron with 0,1-vertices", 1965), in the forest form of Galil ("Efficient
 * algorithms for finding maximum matching in graphs", 1986).
 *
 * All arithmetic is on whole numbers, so there are no rounding errors. Time is O(n·m) per blossom level
 * in practice, O(n²·m) at worst; memory is O(n + m).
 *
 * Minimum-weight matching where a vertex may stay alone at cost s is the same problem with the weights
 * 2s − cost.
 *
 * @param vertexCount n; vertices are 0 … n − 1
 * @param edges at most one per pair, no loops; weights are whole numbers below 2⁵⁰, and an edge whose
 *   weight is not positive is never used
 */
export function maximumWeightMatching(vertexCount: number, edges: readonly WeightedEdge[]): WeightedMatching {
  return new BlossomSearch(vertexCount, edges).solve();
}

const FREE = 0;
/** Reached from an unmatched vertex over an even number of edges. */
const EVEN = 1;
/** Reached over an odd number of edges. */
const ODD = 2;
const NONE = -1;

/**
 * Edge e has two *ends*, 2e and 2e + 1; `vertexAt[end]` is the vertex there and `end ^ 1` the other end.
 *
 * A *node* is a vertex (0 … n − 1) or a blossom (n … 2n − 1): an odd cycle of nodes, its children, joined
 * by tight edges. `outermost[v]` is the node that contains vertex v and is contained in none. Only these
 * carry labels.
 *
 * Duals are kept at twice their value for vertices and once for blossoms, so that the slack of an edge
 * is dual + dual − 2·weight and every step is a whole number.
 */
class BlossomSearch {
  readonly #n: number;
  readonly #vertexAt: Int32Array;
  readonly #weights: Float64Array;
  /** The ends at which the edges of a vertex point away from it: `#away[v]` lists the far ends. */
  readonly #away: readonly Int32Array[];
  /** For each vertex the far end of its matched edge. */
  readonly #mateEnd: Int32Array;
  readonly #dual: Float64Array;

  readonly #outermost: Int32Array;
  readonly #parent: Int32Array;
  /** The vertex of a node that is matched outside it, or not at all. */
  readonly #base: Int32Array;
  readonly #children: number[][] = [];
  /** `#links[b][i]` is the end in child i of the edge to child i + 1, cyclically. */
  readonly #links: number[][] = [];
  readonly #unusedBlossoms: number[] = [];

  readonly #label: Uint8Array;
  /** The far end of the edge over which a node got its label; NONE for the root of a tree. */
  readonly #labelEnd: Int32Array;
  #queue: number[] = [];

  constructor(vertexCount: number, edges: readonly WeightedEdge[]) {
    this.#n = vertexCount;
    this.#vertexAt = new Int32Array(2 * edges.length);
    this.#weights = new Float64Array(edges.length);
    const away: number[][] = Array.from({ length: vertexCount }, () => []);
    let heaviest = 0;
    edges.forEach(([from, to, weight], edge) => {
      if (!Number.isInteger(weight) || Math.abs(weight) >= 2 ** 50) {
        throw new RangeError(`Expected a whole edge weight below 2⁵⁰, got \`${weight}\``);
      }
      this.#vertexAt[2 * edge] = from;
      this.#vertexAt[2 * edge + 1] = to;
      // Doubled, so that half of an even slack is still even.
      this.#weights[edge] = 2 * weight;
      away[from].push(2 * edge + 1);
      away[to].push(2 * edge);
      heaviest = Math.max(heaviest, 2 * weight);
    });
    this.#away = away.map((ends) => Int32Array.from(ends));
    this.#mateEnd = new Int32Array(vertexCount).fill(NONE);
    this.#dual = new Float64Array(2 * vertexCount).fill(heaviest, 0, vertexCount);
    this.#outermost = Int32Array.from({ length: vertexCount }, (_, v) => v);
    this.#parent = new Int32Array(2 * vertexCount).fill(NONE);
    this.#base = Int32Array.from({ length: 2 * vertexCount }, (_, v) => (v < vertexCount ? v : NONE));
    this.#label = new Uint8Array(2 * vertexCount);
    this.#labelEnd = new Int32Array(2 * vertexCount).fill(NONE);
    for (let blossom = 2 * vertexCount - 1; blossom >= vertexCount; blossom--) {
      this.#unusedBlossoms.push(blossom);
    }
  }

  solve(): WeightedMatching {
    while (this.#augmentOnce()) {
      for (let b = this.#n; b < 2 * this.#n; b++) {
        if (this.#isOutermostBlossom(b) && this.#label[b] === EVEN && this.#dual[b] === 0) {
          this.#dissolveEmpty(b);
        }
      }
    }
    return this.#result();
  }

  /** Grows a forest from all unmatched vertices until one augmenting path is found; false: none is left. */
  #augmentOnce(): boolean {
    this.#label.fill(FREE);
    this.#labelEnd.fill(NONE);
    this.#queue = [];
    for (let v = 0; v < this.#n; v++) {
      if (this.#mateEnd[v] === NONE) this.#labelEven(this.#outermost[v], NONE);
    }
    for (;;) {
      if (this.#growOverTightEdges()) return true;
      if (!this.#adjustDuals()) return false;
    }
  }

  /** Scans the queued even vertices; true when the matching was augmented. */
  #growOverTightEdges(): boolean {
    for (let v = this.#queue.pop(); v !== undefined; v = this.#queue.pop()) {
      for (const far of this.#away[v]) {
        const other = this.#outermost[this.#vertexAt[far]];
        if (other === this.#outermost[v] || this.#slack(far) > 0) continue;
        if (this.#label[other] === FREE) {
          this.#labelOdd(other, far ^ 1);
        } else if (this.#label[other] === EVEN) {
          const meeting = this.#commonAncestor(v, this.#vertexAt[far]);
          if (meeting === NONE) {
            this.#augmentOver(far);
            return true;
          }
          this.#shrink(meeting, far);
        }
      }
    }
    return false;
  }

  /**
   * Moves the duals by the largest step that keeps them feasible, which makes an edge tight or a blossom
   * empty. False when an unmatched vertex reaches dual 0: then the matching is optimal.
   */
  #adjustDuals(): boolean {
    let smallest = Number.POSITIVE_INFINITY;
    for (let v = 0; v < this.#n; v++) smallest = Math.min(smallest, this.#dual[v]);
    let step = smallest;
    for (let b = this.#n; b < 2 * this.#n; b++) {
      if (this.#isOutermostBlossom(b) && this.#label[b] === ODD) step = Math.min(step, this.#dual[b]);
    }
    // Vertices with an edge that this step makes tight.
    let reaching: number[] = [];
    for (let v = 0; v < this.#n; v++) {
      const own = this.#outermost[v];
      if (this.#label[own] !== EVEN) continue;
      for (const far of this.#away[v]) {
        const other = this.#outermost[this.#vertexAt[far]];
        if (other === own || this.#label[other] === ODD) continue;
        const limit = this.#label[other] === EVEN ? this.#slack(far) / 2 : this.#slack(far);
        if (limit > step) continue;
        if (limit < step) reaching = [];
        step = limit;
        reaching.push(v);
      }
    }

    for (let v = 0; v < this.#n; v++) {
      const label = this.#label[this.#outermost[v]];
      if (label === EVEN) this.#dual[v] -= step;
      else if (label === ODD) this.#dual[v] += step;
    }
    const emptied: number[] = [];
    for (let b = this.#n; b < 2 * this.#n; b++) {
      if (!this.#isOutermostBlossom(b)) continue;
      if (this.#label[b] === EVEN) this.#dual[b] += step;
      else if (this.#label[b] === ODD) {
        this.#dual[b] -= step;
        if (this.#dual[b] === 0) emptied.push(b);
      }
    }
    if (step === smallest) return false;
    this.#queue.push(...reaching);
    for (const blossom of emptied) this.#expandOdd(blossom);
    return true;
  }

  #slack(end: number): number {
    return (
      this.#dual[this.#vertexAt[end]] + this.#dual[this.#vertexAt[end ^ 1]] - 2 * this.#weights[end >> 1]
    );
  }

  #labelEven(node: number, labelEnd: number): void {
    this.#label[node] = EVEN;
    this.#labelEnd[node] = labelEnd;
    for (const v of this.#leaves(node)) this.#queue.push(v);
  }

  /** Labels a node odd, and with it the node its base is matched to even. */
  #labelOdd(node: number, labelEnd: number): void {
    this.#label[node] = ODD;
    this.#labelEnd[node] = labelEnd;
    const mateEnd = this.#mateEnd[this.#base[node]];
    this.#labelEven(this.#outermost[this.#vertexAt[mateEnd]], mateEnd ^ 1);
  }

  /** The first even node on both ways from v and w to their roots, or NONE when the roots differ. */
  #commonAncestor(v: number, w: number): number {
    const seen = new Set<number>();
    // Both ways in turn, so that the search is as long as the shorter one.
    let next = this.#outermost[v];
    let waiting = this.#outermost[w];
    while (next !== NONE || waiting !== NONE) {
      if (next !== NONE) {
        if (seen.has(next)) return next;
        seen.add(next);
        next = this.#evenParent(next);
      }
      [next, waiting] = [waiting, next];
    }
    return NONE;
  }

  #evenParent(node: number): number {
    if (this.#labelEnd[node] === NONE) return NONE;
    const odd = this.#outermost[this.#vertexAt[this.#labelEnd[node]]];
    return this.#outermost[this.#vertexAt[this.#labelEnd[odd]]];
  }

  /** Makes a blossom of the cycle that the edge `far` closes below the even node `meeting`. */
  #shrink(meeting: number, far: number): void {
    const children: number[] = [];
    const links: number[] = [];
    for (let at = this.#outermost[this.#vertexAt[far ^ 1]]; at !== meeting; ) {
      children.push(at);
      links.push(this.#labelEnd[at]);
      at = this.#outermost[this.#vertexAt[this.#labelEnd[at]]];
    }
    children.push(meeting);
    children.reverse();
    links.reverse();
    links.push(far ^ 1);
    for (let at = this.#outermost[this.#vertexAt[far]]; at !== meeting; ) {
      children.push(at);
      links.push(this.#labelEnd[at] ^ 1);
      at = this.#outermost[this.#vertexAt[this.#labelEnd[at]]];
    }

    const blossom = this.#unusedBlossoms.pop();
    if (blossom === undefined)
      throw new Error('Expected fewer than n blossoms at once: the search is broken');
    const newlyEven = children.filter((child) => this.#label[child] === ODD);
    this.#children[blossom] = children;
    this.#links[blossom] = links;
    this.#base[blossom] = this.#base[meeting];
    this.#label[blossom] = EVEN;
    this.#labelEnd[blossom] = this.#labelEnd[meeting];
    this.#dual[blossom] = 0;
    for (const child of children) this.#parent[child] = blossom;
    for (const child of newlyEven) for (const v of this.#leaves(child)) this.#queue.push(v);
    for (const v of this.#leaves(blossom)) this.#outermost[v] = blossom;
  }

  /** Dissolves an odd blossom of dual 0 inside the forest: the even way through it stays in its tree. */
  #expandOdd(blossom: number): void {
    const children = this.#children[blossom];
    const enteredOver = this.#labelEnd[blossom];
    this.#release(blossom);
    for (const child of children) {
      this.#label[child] = FREE;
      this.#labelEnd[child] = NONE;
    }
    let position = children.indexOf(this.#outermost[this.#vertexAt[enteredOver ^ 1]]);
    const direction = position % 2 === 1 ? 1 : -1;
    let over = enteredOver;
    while (position % children.length !== 0) {
      // Odd, matched inside the blossom to the next one, which this labels even; from there on odd again.
      this.#labelOdd(children[position], over);
      over = this.#linkFrom(blossom, position + direction, direction);
      position += 2 * direction;
    }
    // The base's mate outside keeps the even label it has.
    this.#label[children[0]] = ODD;
    this.#labelEnd[children[0]] = over;
    // Children off that way are free again; tight edges from even vertices may reach them at once.
    for (let v = 0; v < this.#n; v++) {
      if (this.#label[this.#outermost[v]] === EVEN) this.#queue.push(v);
    }
  }

  /** Dissolves an even blossom of dual 0 between two stages, and those directly inside it alike. */
  #dissolveEmpty(blossom: number): void {
    const children = this.#children[blossom];
    this.#release(blossom);
    for (const child of children) {
      if (child >= this.#n && this.#dual[child] === 0) this.#dissolveEmpty(child);
    }
  }

  /** Makes a blossom's children outermost and its number free for another. */
  #release(blossom: number): void {
    for (const child of this.#children[blossom]) {
      this.#parent[child] = NONE;
      for (const v of this.#leaves(child)) this.#outermost[v] = child;
    }
    this.#base[blossom] = NONE;
    this.#label[blossom] = FREE;
    this.#unusedBlossoms.push(blossom);
  }

  /** Turns matched into unmatched along the ways from both ends of an edge to their roots, and matches it. */
  #augmentOver(edgeEnd: number): void {
    for (const start of [edgeEnd, edgeEnd ^ 1]) {
      let mateEnd = start;
      for (;;) {
        const vertex = this.#vertexAt[mateEnd ^ 1];
        const even = this.#outermost[vertex];
        this.#rebase(even, vertex);
        this.#mateEnd[vertex] = mateEnd;
        if (this.#labelEnd[even] === NONE) break;
        const odd = this.#outermost[this.#vertexAt[this.#labelEnd[even]]];
        const up = this.#labelEnd[odd];
        this.#rebase(odd, this.#vertexAt[up ^ 1]);
        this.#mateEnd[this.#vertexAt[up ^ 1]] = up;
        mateEnd = up ^ 1;
      }
    }
  }

  /** Turns the matching inside a node so that `vertex` is its base. */
  #rebase(node: number, vertex: number): void {
    if (node < this.#n) return;
    const children = this.#children[node];
    let child = vertex;
    while (this.#parent[child] !== node) child = this.#parent[child];
    this.#rebase(child, vertex);
    const first = children.indexOf(child);
    const direction = first % 2 === 1 ? 1 : -1;
    for (let at = first; at % children.length !== 0; at += 2 * direction) {
      const end = this.#linkFrom(node, at + direction, direction);
      this.#rebase(this.#childAt(node, at + direction), this.#vertexAt[end]);
      this.#rebase(this.#childAt(node, at + 2 * direction), this.#vertexAt[end ^ 1]);
      this.#mateEnd[this.#vertexAt[end]] = end ^ 1;
      this.#mateEnd[this.#vertexAt[end ^ 1]] = end;
    }
    this.#children[node] = [...children.slice(first), ...children.slice(0, first)];
    this.#links[node] = [...this.#links[node].slice(first), ...this.#links[node].slice(0, first)];
    this.#base[node] = vertex;
  }

  #childAt(blossom: number, position: number): number {
    const children = this.#children[blossom];
    return children[(position + children.length) % children.length];
  }

  /** The end in the child at `position` of the edge to its neighbour in a direction (1 or −1). */
  #linkFrom(blossom: number, position: number, direction: number): number {
    const links = this.#links[blossom];
    if (direction === 1) return links[position % links.length];
    return links[(position - 1 + links.length) % links.length] ^ 1;
  }

  #leaves(node: number): number[] {
    const leaves: number[] = [];
    const open = [node];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next < this.#n) leaves.push(next);
      else open.push(...this.#children[next]);
    }
    return leaves;
  }

  /** Whether a blossom number is in use and contained in no other. */
  #isOutermostBlossom(blossom: number): boolean {
    return this.#base[blossom] !== NONE && this.#parent[blossom] === NONE;
  }

  #result(): WeightedMatching {
    let twiceWeight = 0;
    const mates = this.#mateEnd.map((end) => (end === NONE ? NONE : this.#vertexAt[end]));
    this.#mateEnd.forEach((end, v) => {
      if (end !== NONE && v < mates[v]) twiceWeight += this.#weights[end >> 1];
    });
    let fourTimesBound = 0;
    for (let v = 0; v < this.#n; v++) fourTimesBound += this.#dual[v];
    for (let b = this.#n; b < 2 * this.#n; b++) {
      if (this.#base[b] !== NONE) fourTimesBound += this.#dual[b] * (this.#leaves(b).length - 1);
    }
    return {
      mates,
      weight: twiceWeight / 2,
      bound: fourTimesBound / 4,
      slack: ([from, to, weight]) => this.#slackOfNewEdge(from, to, weight),
    };
  }

  #slackOfNewEdge(from: number, to: number, weight: number): number {
    let fourTimes = this.#dual[from] + this.#dual[to] - 4 * weight;
    if (fourTimes >= 0) return fourTimes / 4;
    // A blossom around both ends pays for the edge, too.
    const around = new Set<number>();
    for (let node = this.#parent[from]; node !== NONE; node = this.#parent[node]) around.add(node);
    for (let node = this.#parent[to]; node !== NONE; node = this.#parent[node]) {
      if (around.has(node)) fourTimes += 2 * this.#dual[node];
    }
    return fourTimes / 4;
  }
}
