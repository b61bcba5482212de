"""A library of image filters. An image is an array of height times width of float64 from 0 to 1, or three of them by colour.

Every filter is an ordinary function that returns an array; none of them runs anything. What a caller puts together is fused when
somebody looks at it, as if it had been written as one loop: a filter does not know with what. With NumPy arrays in place of nvm's
(nvm.asarray(x)) every filter is a pass, and every intermediate result is an array in memory."""
import nvm

BOX = nvm.neighbourhood(1, 2)


def invert(image):
    return 1 - image


def brighten(image, by):
    return nvm.clip(image + by, 0.0, 1.0)


def contrast(image, factor):
    return nvm.clip((image - 0.5) * factor + 0.5, 0.0, 1.0)


def threshold(image, level):
    return nvm.where(image > level, 1.0, 0.0)


def grey(red, green, blue):
    return 0.299 * red + 0.587 * green + 0.114 * blue


def blend(a, b, share):
    """The share of a, and b for the rest."""
    return a * share + b * (1 - share)


def overlay(a, b):
    """Dark parts of a are multiplied with b, bright ones screened."""
    return nvm.where(a < 0.5, 2 * a * b, 1 - 2 * (1 - a) * (1 - b))


def over(a, b, mask):
    """a where the mask is set, b elsewhere."""
    return nvm.where(mask, a, b)


def blur(image):
    """The mean of a pixel and its eight neighbours; the border repeats."""
    return image.stencil(BOX, lambda a, b, c, d, e, f, g, h, i: (a + b + c + d + e + f + g + h + i) / 9, pad="edge")


def sharpen(image, amount=1.0):
    return nvm.clip(image + amount * (image - blur(image)), 0.0, 1.0)


def edges(image):
    """The length of Sobel's gradient."""
    x = image.stencil(BOX, lambda a, b, c, d, e, f, g, h, i: c + 2 * f + i - a - 2 * d - g, pad="edge")
    y = image.stencil(BOX, lambda a, b, c, d, e, f, g, h, i: g + 2 * h + i - a - 2 * b - c, pad="edge")
    return nvm.sqrt(x * x + y * y)


def vignette(image, strength=0.5):
    """Darker towards the corners."""
    h, w = image.shape
    return image.map(lambda v, at: v * (1 - strength * ((2.0 * at[0] / h - 1) ** 2 + (2.0 * at[1] / w - 1) ** 2) / 2), with_index=True)


def mirror(image):
    return nvm.flip(image, axis=1)


def half(image):
    """Every second row and column."""
    return image[::2, ::2]
