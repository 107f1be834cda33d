import Foundation
import AVKit

/// Something with a length.
protocol Playable {
    var length: Double { get }
    func play() throws
}

enum PlayerError: Error {
    case empty
    case broken(String)
}

struct Track: Playable {
    let title: String
    let length: Double

    func play() throws {
        guard length > 0 else { throw PlayerError.empty }
        Output.shared.write(title)
    }
}

/// Plays tracks in order.
final class Player<T: Playable> {
    private var queue: [T] = []
    static let limit = 10

    init(queue: [T]) {
        self.queue = queue
    }

    deinit { stop() }

    func next() throws -> T? {
        guard let track = queue.first else { return nil }
        try track.play()
        log("played")
        return track
    }

    func stop() { queue.removeAll() }

    private func log(_ text: String) { print(text) }
}

extension Track: CustomStringConvertible {
    var description: String { format(title) }

    static func named(_ title: String) -> Track {
        return Track(title: title, length: 1)
    }
}

typealias Tracks = [Track]

func format(_ text: String) -> String {
    func trim(_ s: String) -> String { s.trimmingCharacters(in: .whitespaces) }
    return trim(text)
}
